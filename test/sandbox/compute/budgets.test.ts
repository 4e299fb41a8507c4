import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chargesOf } from '../../../sandbox/compute/budget-table.ts';
import type { QuotaGroup } from '../../../sandbox/compute/method.ts';
import type { Scope } from '../../../sandbox/compute/records.ts';
import { START } from '../bench.ts';
import { bench, type NetworkBench, PROJECT, refusalOf } from './network-bench.ts';

const rateLimits: readonly { readonly scope: Scope; readonly quota: QuotaGroup; readonly rateLimit: string }[] = [
  { scope: 'global', quota: 'read', rateLimit: 'acme/global/global_reads' },
  { scope: 'global', quota: 'write', rateLimit: 'acme/global/global_writes' },
  { scope: 'regions/us-central1', quota: 'read', rateLimit: 'acme/us-central1/reads_per_region' },
  { scope: 'zones/us-central1-f', quota: 'write', rateLimit: 'acme/us-central1/writes_per_region' },
  {
    scope: 'zones/europe-west1-b',
    quota: 'operation-read',
    rateLimit: 'acme/europe-west1/operation_read_requests_per_region',
  },
  { scope: 'global', quota: 'operation-wait', rateLimit: 'acme/global/heavy_weight_read_requests' },
];

describe('budgets: the table', () => {
  for (const { scope, quota, rateLimit } of rateLimits) {
    it(`${quota} in ${scope} draws on ${rateLimit}`, () => {
      const want = [{ kind: 'window', rateLimit, capacity: 1500, windowMs: 60_000, tokens: 1 }];
      assert.deepEqual(chargesOf({ project: PROJECT, scope, quota }), want);
    });
  }
});

/** All but one of the global reads of this minute. */
function almostSpent({ sandbox }: NetworkBench): void {
  const [charge] = chargesOf({ project: PROJECT, scope: 'global', quota: 'read' });
  assert.ok(charge);
  sandbox.control.budgets.take([{ ...charge, tokens: charge.capacity - 1 }]);
}

describe('budgets: on the wire', () => {
  it('one call too many is 403 rateLimitExceeded until the minute is over', async () => {
    await using made = await bench({ budgets: true, clock: { rate: 0, start: START + 15_000 } });
    almostSpent(made);
    assert.equal(refusalOf(await made.raw('GET', 'global/networks')), 'accepted');
    const { status, body } = await made.raw('GET', 'aggregated/subnetworks');
    const { errors, details, code, message } = body.error;
    assert.deepEqual(
      [status, code, errors[0].reason, errors[0].domain],
      [403, 403, 'rateLimitExceeded', 'usageLimits'],
    );
    assert.match(
      message,
      /^Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute' of service/,
    );
    assert.deepEqual([details[0].reason, details[0].metadata.quota_limit_value], ['RATE_LIMIT_EXCEEDED', '1500']);
    made.sandbox.control.clock.advance(44_999);
    assert.equal(refusalOf(await made.raw('GET', 'global/networks')), '403 rateLimitExceeded');
    made.sandbox.control.clock.advance(1);
    assert.equal(refusalOf(await made.raw('GET', 'global/networks')), 'accepted');
  });

  it('other projects, regions and kinds of call have their own', async () => {
    await using made = await bench({ budgets: true });
    almostSpent(made);
    await made.raw('GET', 'global/networks');
    const insert = { name: 'core', autoCreateSubnetworks: false };
    assert.equal(refusalOf(await made.raw('POST', 'global/networks', insert)), 'accepted');
    assert.equal(refusalOf(await made.raw('GET', 'regions/us-central1/subnetworks')), 'accepted');
    assert.equal(refusalOf(await made.raw('GET', 'global/networks')), '403 rateLimitExceeded');
  });

  it('the SDK tells it as a denied permission; the reason is in the body', async () => {
    await using made = await bench();
    made.sandbox.control.faults.add({ match: {}, effect: { kind: 'throttle' } });
    await assert.rejects(made.sdk.networks.get({ project: PROJECT, network: 'core' }), (error: Error) => {
      assert.equal('code' in error && error.code, 7);
      assert.match(error.message, /Quota exceeded for quota metric/);
      return true;
    });
  });
});
