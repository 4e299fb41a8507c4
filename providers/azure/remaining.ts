import type { Answer } from '../../src/ports/provider.ts';
import type { RateLimitName } from './rate-limits.ts';

/** Remaining budgets of `rate-limits.ts` by an answer's headers; nothing if the headers do not mention them. */
export function remainingIn(scope: string, header: (name: string) => string | undefined): Remaining {
  const inFront = Object.entries(frontDoor).flatMap(([name, rateLimit]) => remainingOf(rateLimit, header(name)));
  const policies = (header('x-ms-ratelimit-remaining-resource') ?? '').split(',').flatMap((each) => {
    const [name = '', left] = each.trim().split(';');
    const rateLimit = behind[policyOf(name)];
    return rateLimit === undefined ? [] : remainingOf(rateLimit, left);
  });
  return [...inFront, ...policies].map(({ rateLimit, amount }) => ({ rateLimit: `${scope}/${rateLimit}`, amount }));
}

type Remaining = NonNullable<Answer['remaining']>;

/** https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling#remaining-requests */
const frontDoor: Readonly<Record<string, RateLimitName>> = {
  'x-ms-ratelimit-remaining-subscription-reads': 'arm-reads',
  'x-ms-ratelimit-remaining-subscription-writes': 'arm-writes',
  'x-ms-ratelimit-remaining-subscription-deletes': 'arm-deletes',
};

/**
 * Microsoft.Compute's own, one for each policy: `Microsoft.Compute/HighCostGetSubscriptionMaximum;899`. Those of one machine
 * (`PutVMResource`) and those of half an hour (`HighCostGet30Min`) are other budgets than ours. Names that are not here are
 * passed over. https://learn.microsoft.com/troubleshoot/azure/virtual-machines/troubleshooting-throttling-errors
 */
const behind: Readonly<Record<string, RateLimitName>> = {
  PutVM: 'vm-put',
  UpdateVM: 'vm-update',
  DeleteVM: 'vm-delete',
  LowCostGet: 'vm-get',
  HighCostGet: 'vm-list',
  GetOperation: 'compute-poll',
};

const policyOf = (name: string): string =>
  /^Microsoft\.Compute\/(\w+?)(?:SubscriptionMaximum|3Min)$/.exec(name)?.[1] ?? '';

function remainingOf(
  rateLimit: RateLimitName,
  left: string | undefined,
): readonly { rateLimit: RateLimitName; amount: number }[] {
  return left !== undefined && /^\d+$/.test(left) ? [{ rateLimit, amount: Number(left) }] : [];
}
