import type { Budgets } from '../budgets.ts';
import { chargesOf, type Demand, type Told } from './budget-table.ts';
import type { ArmRefusal } from './errors.ts';

/** Told in the words of whoever's budget ran dry: ARM's own, or Microsoft.Compute's. */
export function throttling(demand: Demand, budgets: Budgets, now: number): ArmRefusal {
  const told = chargesOf(demand);
  const seconds = secondsToWait(told, budgets);
  const own = told.filter(({ name }) => name !== undefined);
  const others = told.filter(({ name }) => name === undefined);
  const [first] = own;
  if (first && budgets.wait(others.map(({ charge }) => charge)) === 0)
    return byCompute({ lane: demand.lane, allowed: first.charge.capacity, seconds, now });
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
  readonly lane: string;
  readonly allowed: number;
  readonly seconds: number;
  readonly now: number;
}

/** https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/troubleshooting-throttling-errors */
function byCompute({ lane, allowed, seconds, now }: Throttled): ArmRefusal {
  const counted = {
    operationGroup: lane,
    startTime: new Date(now).toISOString(),
    endTime: new Date(now + seconds * 1000).toISOString(),
    allowedRequestCount: allowed,
    measuredRequestCount: allowed + 1,
  };
  return {
    code: 'OperationNotAllowed',
    status: 429,
    message: 'The server rejected the request because too many requests have been received for this subscription.',
    details: [{ code: 'TooManyRequests', target: lane, message: JSON.stringify(counted) }],
    retryAfter: seconds,
  };
}
