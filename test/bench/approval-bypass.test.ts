import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { approve } from '../../bench/approval-bypass/world.ts';
import { approvalBypass, attempts } from '../../bench/approval-bypass.ts';

const named = (name: string) => attempts.find((one) => one.name === name) ?? assert.fail(name);

describe('bench: approval-bypass', () => {
  it('has at least 60 attempts, each by a name of its own', () => {
    assert.ok(attempts.length >= 60);
    assert.equal(new Set(attempts.map(({ name }) => name)).size, attempts.length);
  });

  it('counts what people may do, and none of a bypass', async () => {
    const allowed = ['one of two', 'its document removed, by one person'].map((name) => ({
      ...named(name),
      try: async (world: Parameters<ReturnType<typeof named>['try']>[0]) => {
        await named(name).try(world);
        await approve(world, await world.token('cid@acme.example'));
      },
    }));
    const [both] = await approvalBypass(allowed);
    assert.equal(both?.value, 2);
    const [none] = await approvalBypass([named('one of two'), named('two names on the store')]);
    assert.equal(none?.value, 0);
  });
});
