import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Effect } from '../../../sandbox/faults.ts';
import { type Bench, bench, collect, LOCATION, QUICK } from './bench.ts';
import { put } from './networks.ts';

async function create({ network }: Bench): Promise<string> {
  const asked = { location: LOCATION, addressSpace: { addressPrefixes: ['10.0.0.0/16'] } };
  try {
    await network.virtualNetworks.createOrUpdate('rg', 'core', asked, QUICK);
    return 'accepted';
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
    throw error;
  }
}

/** A fault on the creation of a network: the client's answer, whether the network exists all the same, and the log. */
const effects: readonly {
  readonly effect: Effect;
  readonly want: string;
  readonly made: boolean;
  readonly status: number;
}[] = [
  { effect: { kind: 'throttle' }, want: 'SubscriptionRequestsThrottled', made: false, status: 429 },
  { effect: { kind: 'access-denied' }, want: 'AuthorizationFailed', made: false, status: 403 },
  {
    effect: { kind: 'error', code: 'InternalServerError', status: 500 },
    want: 'InternalServerError',
    made: false,
    status: 500,
  },
  {
    effect: { kind: 'error-after', code: 'ServiceUnavailable', status: 503 },
    want: 'ServiceUnavailable',
    made: true,
    status: 503,
  },
  { effect: { kind: 'reset-before' }, want: 'ECONNRESET', made: false, status: 0 },
  { effect: { kind: 'reset-after' }, want: 'ECONNRESET', made: true, status: 0 },
];

describe('faults on a write to Azure', () => {
  for (const { effect, want, made, status } of effects) {
    it(`${effect.kind}: ${want}, ${made ? 'and it stands' : 'and nothing is written'}`, async () => {
      await using at = await bench();
      at.sandbox.control.faults.add({ match: { action: 'virtualNetworks.createOrUpdate' }, effect });
      assert.equal(await create(at), want);
      assert.equal((await collect(at.network.virtualNetworks.listAll())).length, made ? 1 : 0);
      const [logged] = at.sandbox.control.log.entries({ action: 'virtualNetworks.createOrUpdate' });
      assert.deepEqual([logged?.status, logged?.applied, logged?.mutating], [status, made, true]);
    });
  }

  it('strike by the location of the resource', async () => {
    await using at = await bench();
    at.sandbox.control.faults.add({ match: { region: 'eastus' }, effect: { kind: 'access-denied' } });
    assert.equal(await put(at, [], { location: 'East US' }), '403 AuthorizationFailed');
    assert.equal(await put(at), '201');
    const regions = at.sandbox.control.log
      .entries({ action: 'virtualNetworks.createOrUpdate' })
      .map(({ region }) => region);
    assert.deepEqual(regions, ['eastus', 'westeurope']);
  });
});
