import type { BucketCharge } from '../budgets.ts';

interface Rate {
  readonly kind: 'bucket';
  readonly capacity: number;
  readonly refill: number;
}

/**
 * Per account, per Region, one bucket for each action; the figures are tokens and tokens a second.
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
 */
const READ: Rate = { kind: 'bucket', capacity: 100, refill: 20 };

const UNFILTERED: Rate = { kind: 'bucket', capacity: 50, refill: 10 };

const MUTATING: Rate = { kind: 'bucket', capacity: 50, refill: 5 };

/** "Unfiltered and unpaginated" reads of these draw on a smaller bucket of their own. */
const UNFILTERED_ACTIONS: ReadonlySet<string> = new Set([
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeSnapshots',
  'DescribeSpotInstanceRequests',
  'DescribeVolumes',
]);

const EXCEPTIONS: Readonly<Record<string, Rate>> = {
  RunInstances: { kind: 'bucket', capacity: 5, refill: 2 },
  StartInstances: { kind: 'bucket', capacity: 5, refill: 2 },
  TerminateInstances: { kind: 'bucket', capacity: 100, refill: 5 },
  CreateTags: { kind: 'bucket', capacity: 100, refill: 10 },
  DeleteTags: { kind: 'bucket', capacity: 100, refill: 10 },
  CreateVolume: { kind: 'bucket', capacity: 100, refill: 5 },
  DeleteVolume: { kind: 'bucket', capacity: 100, refill: 5 },
  CreateNetworkInterface: { kind: 'bucket', capacity: 100, refill: 5 },
  DeleteNetworkInterface: { kind: 'bucket', capacity: 100, refill: 5 },
  ModifyNetworkInterfaceAttribute: { kind: 'bucket', capacity: 100, refill: 5 },
  DescribeSecurityGroupReferences: { kind: 'bucket', capacity: 20, refill: 5 },
};

/** The second mechanism: these also take a token for each instance. */
const INSTANCES: Readonly<Record<string, Rate>> = {
  RunInstances: { kind: 'bucket', capacity: 1000, refill: 2 },
  StartInstances: { kind: 'bucket', capacity: 1000, refill: 2 },
  StopInstances: { kind: 'bucket', capacity: 1000, refill: 20 },
  TerminateInstances: { kind: 'bucket', capacity: 1000, refill: 20 },
};

export interface Demand {
  readonly account: string;
  readonly region: string;
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
}

export function chargesOf({ account, region, action, params }: Demand): readonly BucketCharge[] {
  const rateLimit = `${account}/${region}/${action}`;
  const charges: BucketCharge[] = [];
  if (isRead(action)) {
    const unfiltered = UNFILTERED_ACTIONS.has(action) && !isNarrowed(params);
    charges.push(
      unfiltered
        ? { rateLimit: `${rateLimit}/unfiltered`, tokens: 1, ...UNFILTERED }
        : { rateLimit, tokens: 1, ...READ },
    );
  } else {
    charges.push({ rateLimit, tokens: 1, ...(EXCEPTIONS[action] ?? MUTATING) });
  }
  const instances = INSTANCES[action];
  if (instances)
    charges.push({ rateLimit: `${rateLimit}/instances`, tokens: instanceCount(action, params), ...instances });
  return charges;
}

export function isRead(action: string): boolean {
  return /^(?:Describe|Get|List|Search)/.test(action);
}

/** The page says "without specifying either pagination or a filter"; ids are neither. */
function isNarrowed(params: Readonly<Record<string, string>>): boolean {
  return (
    params['MaxResults'] !== undefined || params['NextToken'] !== undefined || params['Filter.1.Name'] !== undefined
  );
}

function instanceCount(action: string, params: Readonly<Record<string, string>>): number {
  if (params['DryRun'] === 'true') return 0;
  if (action === 'RunInstances') return Math.max(1, Number(params['MaxCount']) || 1);
  return Math.max(1, Object.keys(params).filter((name) => name.startsWith('InstanceId.')).length);
}
