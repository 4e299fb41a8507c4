import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { remainingIn } from '../../../providers/azure/remaining.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { account, network, scriptedArm } from './scripted-arm.ts';

const resource = 'x-ms-ratelimit-remaining-resource';

const rows: readonly {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly want: readonly string[];
}[] = [
  { name: 'nothing said, nothing known', headers: {}, want: [] },
  {
    name: 'each kind of request in front has its own',
    headers: {
      'x-ms-ratelimit-remaining-subscription-reads': '249',
      'x-ms-ratelimit-remaining-subscription-writes': '0',
      'x-ms-ratelimit-remaining-subscription-deletes': '7',
    },
    want: ['here/arm-reads 249', 'here/arm-writes 0', 'here/arm-deletes 7'],
  },
  {
    name: 'what all principals or the tenant have left is not ours',
    headers: {
      'x-ms-ratelimit-remaining-subscription-global-reads': '3749',
      'x-ms-ratelimit-remaining-tenant-reads': '12',
    },
    want: [],
  },
  {
    name: 'policies of Compute, without those of one machine',
    headers: { [resource]: 'Microsoft.Compute/PutVMSubscriptionMaximum;1499,Microsoft.Compute/PutVMResource;11' },
    want: ['here/vm-put 1499'],
  },
  {
    name: 'the older names, without those of half an hour',
    headers: { [resource]: 'Microsoft.Compute/HighCostGet3Min;159, Microsoft.Compute/HighCostGet30Min;799' },
    want: ['here/vm-list 159'],
  },
  {
    name: 'what cannot be read is passed over',
    headers: {
      [resource]: 'Microsoft.Compute/PutVMSubscriptionMaximum,x;,;;,Microsoft.Storage/PutVMSubscriptionMaximum;3',
      'x-ms-ratelimit-remaining-subscription-reads': 'plenty',
    },
    want: [],
  },
];

describe('what is left, by the headers', () => {
  for (const { name, headers, want } of rows)
    it(name, () =>
      assert.deepEqual(
        remainingIn('here', (header) => headers[header]).map(({ rateLimit, amount }) => `${rateLimit} ${amount}`),
        want,
      ),
    );

  it('comes with the report of the request, under the keys of rate limits', async () => {
    const headers = { 'x-ms-ratelimit-remaining-subscription-reads': '41' };
    const body = { id: network('virtualNetworks/v'), name: 'v', location: 'westeurope', properties: {} };
    const arm = await scriptedArm(() => ({ body, headers }));
    try {
      const client = await arm.open();
      const call = recordedCall();
      await client.ask(call, ({ network: { virtualNetworks } }) => virtualNetworks.get('rg', 'v'));
      const [rateLimit] = call.admitted.flatMap(({ costs }) => costs.map((cost) => cost.rateLimit.key));
      assert.equal(rateLimit, `azure/${account}/westeurope/arm-reads`);
      assert.deepEqual(call.reported[0]?.answer.remaining, [{ rateLimit, amount: 41 }]);
    } finally {
      await arm.close();
    }
  });
});
