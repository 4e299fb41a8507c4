import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { revertMerges } from '../../bench/undo.ts';
import { randomFrom } from '../../bench/world/random.ts';

describe('bench: undo', () => {
  for (const cloud of ['aws', 'azure'] as const)
    it(`finds nothing that differs after merges on ${cloud} that are reverted within the grace`, async () => {
      const { removed, packets, differences } = await revertMerges(cloud, 6, randomFrom(1));
      assert.ok(removed > 6, `${removed} graces began`);
      assert.ok(packets > 500);
      assert.deepEqual(differences, []);
    });

  it('finds lost machines where there is no grace', async () => {
    const none = { network: 0, subnet: 0, group: 0, 'firewall-rule': 0, instance: 0 };
    const { differences } = await revertMerges('aws', 2, randomFrom(1), none);
    assert.ok(differences.some((text) => /instance \S+ is gone/.test(text)));
  });
});
