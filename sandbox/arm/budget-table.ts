import type { BucketCharge, Budgets, Charge } from '../budgets.ts';
import type { ArmRefusal } from './errors.ts';

/** A resource provider's rate limit, besides ARM's own buckets. */
export type RateLimit = 'none' | 'network' | ComputeRateLimit;

type ComputeRateLimit = 'PutVM' | 'UpdateVM' | 'DeleteVM' | 'LowCostGet' | 'HighCostGet' | 'GetOperation';

interface Rate {
  readonly capacity: number;
  /** A second. */
  readonly refill: number;
}

/**
 * ARM's own, per subscription and principal; for all principals of a subscription together 15 times as much.
 * They are also per region of ARM: a client on loopback reaches one and the same.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling
 */
const FRONT_DOOR: Readonly<Record<Kind, Rate>> = {
  reads: { capacity: 250, refill: 25 },
  writes: { capacity: 200, refill: 10 },
  deletes: { capacity: 200, refill: 10 },
};

const ALL_PRINCIPALS = 15;

type Kind = 'reads' | 'writes' | 'deletes';

/**
 * Per subscription and region, writes and deletes together; the same page. No header tells what is left:
 * https://github.com/Azure/azure-sdk-for-java, com.azure.resourcemanager.resources.fluentcore.utils.ResourceManagerThrottlingInfo
 */
const NETWORK = { windowMs: 300_000, reads: 10_000, writes: 1_000 };

/**
 * Per machine, and per subscription and region.
 * https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits
 */
const COMPUTE: Readonly<Record<ComputeRateLimit, { readonly resource?: Rate; readonly subscription: Rate }>> = {
  PutVM: { resource: perMinute(12, 4), subscription: perMinute(1_500, 500) },
  UpdateVM: { resource: perMinute(12, 4), subscription: perMinute(1_500, 500) },
  DeleteVM: { resource: perMinute(12, 4), subscription: perMinute(1_500, 500) },
  LowCostGet: { resource: perMinute(36, 12), subscription: perMinute(24_000, 8_000) },
  HighCostGet: { subscription: perMinute(900, 300) },
  GetOperation: { resource: perMinute(45, 15), subscription: perMinute(15_000, 5_000) },
};

export interface Demand {
  readonly subscription: string;
  /** The caller's id, from which nobody can learn its token. */
  readonly principal: string;
  /** Empty for what spans locations: all those draw on one budget. */
  readonly location: string;
  readonly verb: Verb;
  readonly rateLimit: RateLimit;
  /** The resource's path, in lower case. */
  readonly resource: string;
}

/** A charge, and the header that tells what is left of it, if one does. */
interface Told {
  readonly charge: Charge;
  readonly header?: string;
  /** Several of one header are listed in one value, by name. */
  readonly name?: string;
}

export function chargesOf(demand: Demand): readonly Told[] {
  return [...frontDoor(demand), ...provider(demand)];
}

function frontDoor({ subscription, principal, verb }: Demand): readonly Told[] {
  const kind = kindOf(verb);
  const rate = FRONT_DOOR[kind];
  const all = { capacity: rate.capacity * ALL_PRINCIPALS, refill: rate.refill * ALL_PRINCIPALS };
  const rateLimit = `arm/${subscription}/${kind}`;
  return [
    { charge: bucket(`${rateLimit}/${principal}`, rate), header: `x-ms-ratelimit-remaining-subscription-${kind}` },
    { charge: bucket(rateLimit, all), header: `x-ms-ratelimit-remaining-subscription-global-${kind}` },
  ];
}

function provider({ subscription, location, verb, rateLimit, resource }: Demand): readonly Told[] {
  switch (rateLimit) {
    case 'none':
      return [];
    case 'network': {
      const side = kindOf(verb) === 'reads' ? 'reads' : 'writes';
      const { windowMs, [side]: capacity } = NETWORK;
      const name = `network/${subscription}/${location}/${side}`;
      const charge = { kind: 'window', rateLimit: name, capacity, windowMs, tokens: 1 } as const;
      return [{ charge }];
    }
    default:
      return compute(rateLimit, `compute/${subscription}/${location}/${rateLimit}`, resource);
  }
}

/**
 * `x-ms-ratelimit-remaining-resource: Microsoft.Compute/PutVMSubscriptionMaximum;1499,Microsoft.Compute/PutVMResource;11`;
 * the form is documented, the names of the policies are an assumption.
 * https://learn.microsoft.com/troubleshoot/azure/virtual-machines/troubleshooting-throttling-errors
 */
function compute(rateLimit: ComputeRateLimit, name: string, resource: string): readonly Told[] {
  const header = 'x-ms-ratelimit-remaining-resource';
  const { subscription: all, resource: one } = COMPUTE[rateLimit];
  const told: Told = { charge: bucket(name, all), header, name: `Microsoft.Compute/${rateLimit}SubscriptionMaximum` };
  if (!one) return [told];
  return [told, { charge: bucket(`${name}/${resource}`, one), header, name: `Microsoft.Compute/${rateLimit}Resource` }];
}

function kindOf(verb: Verb): Kind {
  switch (verb) {
    case 'GET':
    case 'HEAD':
      return 'reads';
    case 'DELETE':
      return 'deletes';
    case 'PUT':
    case 'PATCH':
    case 'POST':
      return 'writes';
  }
}

function bucket(rateLimit: string, rate: Rate): BucketCharge {
  return { kind: 'bucket', rateLimit, tokens: 1, ...rate };
}

function perMinute(capacity: number, refill: number): Rate {
  return { capacity, refill: refill / 60 };
}

export type Verb = 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';

/** Told in the words of whoever's budget ran dry: ARM's own, or Microsoft.Compute's. */
export function throttling(demand: Demand, budgets: Budgets, now: number): ArmRefusal {
  const told = chargesOf(demand);
  const seconds = secondsToWait(told, budgets);
  const own = told.filter(({ name }) => name !== undefined);
  const others = told.filter(({ name }) => name === undefined);
  const [first] = own;
  if (first && budgets.wait(others.map(({ charge }) => charge)) === 0)
    return byCompute({ rateLimit: demand.rateLimit, allowed: first.charge.capacity, seconds, now });
  // https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling#error-code
  return {
    code: 'SubscriptionRequestsThrottled',
    status: 429,
    message: `Number of requests for subscription '${demand.subscription}' exceeded the limit. Please try again after '${seconds}' seconds.`,
    retryAfter: seconds,
  };
}

/** Whole seconds, at least one. */
function secondsToWait(told: readonly Told[], budgets: Budgets): number {
  return Math.max(1, Math.ceil(budgets.wait(told.map(({ charge }) => charge)) / 1000));
}

interface Throttled {
  readonly rateLimit: string;
  readonly allowed: number;
  readonly seconds: number;
  readonly now: number;
}

/** https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/troubleshooting-throttling-errors */
function byCompute({ rateLimit, allowed, seconds, now }: Throttled): ArmRefusal {
  const counted = {
    operationGroup: rateLimit,
    startTime: new Date(now).toISOString(),
    endTime: new Date(now + seconds * 1000).toISOString(),
    allowedRequestCount: allowed,
    measuredRequestCount: allowed + 1,
  };
  return {
    code: 'OperationNotAllowed',
    status: 429,
    message: 'The server rejected the request because too many requests have been received for this subscription.',
    details: [{ code: 'TooManyRequests', target: rateLimit, message: JSON.stringify(counted) }],
    retryAfter: seconds,
  };
}

/** The headers that say what is left of each budget: `…-reads: 249`, `…-resource: A;11,B;1499`. */
export function remaining(charges: readonly Told[], budgets: Pick<Budgets, 'level'>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { charge, header, name } of charges) {
    if (header === undefined) continue;
    const left = String(Math.max(0, Math.floor(budgets.level(charge))));
    const told = name === undefined ? left : `${name};${left}`;
    headers[header] = headers[header] === undefined ? told : `${headers[header]},${told}`;
  }
  return headers;
}
