import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chargesOf, type Demand } from '../../../sandbox/arm/budget-table.ts';
import { bench, clients, GROUP, LOCATION, NETWORK, networkBody, outcome, QUICK, SUBSCRIPTION } from './bench.ts';
import { CORE } from './networks.ts';

type Row = readonly [demand: Partial<Demand>, want: readonly (readonly number[])[]];

/** The published figures: the capacity, and tokens a second or the window's milliseconds. */
const rows: readonly Row[] = [
  [
    { verb: 'GET' },
    [
      [250, 25],
      [3750, 375],
    ],
  ],
  [
    { verb: 'HEAD' },
    [
      [250, 25],
      [3750, 375],
    ],
  ],
  [
    { verb: 'PUT' },
    [
      [200, 10],
      [3000, 150],
    ],
  ],
  [
    { verb: 'PATCH' },
    [
      [200, 10],
      [3000, 150],
    ],
  ],
  [
    { verb: 'POST' },
    [
      [200, 10],
      [3000, 150],
    ],
  ],
  [
    { verb: 'DELETE' },
    [
      [200, 10],
      [3000, 150],
    ],
  ],
  [
    { verb: 'GET', rateLimit: 'network' },
    [
      [250, 25],
      [3750, 375],
      [10_000, 300_000],
    ],
  ],
  [
    { verb: 'PUT', rateLimit: 'network' },
    [
      [200, 10],
      [3000, 150],
      [1_000, 300_000],
    ],
  ],
  [
    { verb: 'DELETE', rateLimit: 'network' },
    [
      [200, 10],
      [3000, 150],
      [1_000, 300_000],
    ],
  ],
  [
    { verb: 'PUT', rateLimit: 'PutVM' },
    [
      [200, 10],
      [3000, 150],
      [1500, 500 / 60],
      [12, 4 / 60],
    ],
  ],
  [
    { verb: 'POST', rateLimit: 'UpdateVM' },
    [
      [200, 10],
      [3000, 150],
      [1500, 500 / 60],
      [12, 4 / 60],
    ],
  ],
  [
    { verb: 'DELETE', rateLimit: 'DeleteVM' },
    [
      [200, 10],
      [3000, 150],
      [1500, 500 / 60],
      [12, 4 / 60],
    ],
  ],
  [
    { verb: 'GET', rateLimit: 'LowCostGet' },
    [
      [250, 25],
      [3750, 375],
      [24_000, 8_000 / 60],
      [36, 12 / 60],
    ],
  ],
  [
    { verb: 'GET', rateLimit: 'HighCostGet' },
    [
      [250, 25],
      [3750, 375],
      [900, 300 / 60],
    ],
  ],
  [
    { verb: 'GET', rateLimit: 'GetOperation' },
    [
      [250, 25],
      [3750, 375],
      [15_000, 5_000 / 60],
      [45, 15 / 60],
    ],
  ],
];

const demand: Demand = {
  subscription: SUBSCRIPTION,
  principal: 'p',
  location: LOCATION,
  verb: 'GET',
  rateLimit: 'none',
  resource: 'r',
};

describe('Azure’s budgets: the table', () => {
  for (const [part, want] of rows) {
    it(JSON.stringify(part), () => {
      const charges = chargesOf({ ...demand, ...part }).map(({ charge }) => charge);
      const figures = charges.map((each) => [each.capacity, each.kind === 'bucket' ? each.refill : each.windowMs]);
      assert.deepEqual(figures, want);
    });
  }
});

describe('Azure’s budgets: on the wire', () => {
  it('answers say what is left, by kind and for all principals', async () => {
    await using made = await bench({ budgets: true });
    const { headers } = await made.send('GET', GROUP);
    assert.equal(headers.get('x-ms-ratelimit-remaining-subscription-reads'), '249');
    assert.equal(headers.get('x-ms-ratelimit-remaining-subscription-global-reads'), '3749');
    const written = await made.send('PUT', CORE, { body: networkBody() });
    assert.equal(written.headers.get('x-ms-ratelimit-remaining-subscription-writes'), '198');
    const refused = await made.send('PUT', CORE, { body: {} });
    assert.equal(refused.headers.get('x-ms-ratelimit-remaining-subscription-writes'), '197');
    const gone = await made.send('DELETE', CORE);
    assert.equal(gone.headers.get('x-ms-ratelimit-remaining-subscription-deletes'), '199');
  });

  it('machines have a header of their own, a policy each', async () => {
    await using made = await bench({ budgets: true });
    const { headers } = await made.send('GET', `${GROUP}/providers/Microsoft.Compute/virtualMachines/m`);
    assert.equal(
      headers.get('x-ms-ratelimit-remaining-resource'),
      'Microsoft.Compute/LowCostGetSubscriptionMaximum;23999,Microsoft.Compute/LowCostGetResource;35',
    );
  });
});

describe('Azure’s throttles', () => {
  it('the 251st read at once is 429 with Retry-After, other principals and kinds go on', async () => {
    await using made = await bench({ budgets: true });
    for (let i = 0; i < 250; i++) assert.equal((await made.send('GET', GROUP)).status, 200);
    const refused = await made.send('GET', GROUP);
    assert.equal(outcome(refused), '429 SubscriptionRequestsThrottled');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(outcome(await made.send('PUT', CORE, { body: networkBody() })), '201');
    assert.equal(outcome(await made.send('GET', GROUP, { headers: { authorization: 'Bearer other' } })), '200');
    made.sandbox.control.clock.advance(1000);
    assert.equal(outcome(await made.send('GET', GROUP)), '200');
  });

  it('the SDK sees a RestError with its code and when to come again', async () => {
    await using made = await bench({ budgets: true });
    made.sandbox.control.faults.add({ match: { action: 'virtualNetworks.get' }, effect: { kind: 'throttle' } });
    const { network } = clients(made.sandbox.url, 'a');
    await assert.rejects(network.virtualNetworks.get('rg', 'v'), {
      statusCode: 429,
      code: 'SubscriptionRequestsThrottled',
    });
  });

  it('1000 writes of Microsoft.Network in five minutes, per region', async () => {
    await using made = await bench({ budgets: true });
    const put = async (name: string, location = LOCATION): Promise<string> => {
      const headers = { authorization: `Bearer ${name}` };
      return outcome(
        await made.send('PUT', `${NETWORK}/applicationSecurityGroups/${name}`, { body: { location }, headers }),
      );
    };
    for (let i = 0; i < 1000; i++) assert.equal(await put(`g${i}`), '201');
    assert.equal(await put('one-more'), '429 SubscriptionRequestsThrottled');
    assert.equal(await put('elsewhere', 'eastus'), '201');
    const { headers } = await made.send('PUT', `${NETWORK}/applicationSecurityGroups/g1`, {
      body: { location: LOCATION },
      headers: { authorization: 'Bearer last' },
    });
    assert.equal(headers.get('retry-after'), '300');
    made.sandbox.control.clock.advance(300_000);
    assert.equal(await put('one-more'), '201');
  });

  it('a throttled poll is a poll lost, and nothing else', async () => {
    await using made = await bench({ arm: { durations: { networkWrite: 1000 } } });
    made.sandbox.control.faults.add({ match: { action: 'operations.get', nth: 1 }, effect: { kind: 'throttle' } });
    const asked = { location: LOCATION, addressSpace: { addressPrefixes: ['10.0.0.0/16'] } };
    await assert.rejects(async () => await made.network.virtualNetworks.createOrUpdate('rg', 'core', asked, QUICK));
    made.sandbox.control.clock.advance(1000);
    assert.equal((await made.network.virtualNetworks.get('rg', 'core')).provisioningState, 'Succeeded');
  });
});
