import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemoryCloud } from '../../providers/memory/cloud.ts';
import type { Finding } from '../../src/core/action.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type Applied, smallWorld } from '../support/small-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const estate = { limits: { deletes: 50, replaces: 50, share: '100%' } };
/** A machine in both groups, and something that keeps the second group there. */
const base = [
  network({ internet: false }),
  machine('web', { replicas: 1, groups: ['web', 'app'] }),
  rule('ssh', { group: 'app', ports: [22] }),
];

interface Played extends Applied {
  /** From when to when 443 was open anywhere since the change, ms; `stands`: at the end. */
  readonly spans: readonly (readonly [from: number, until: number | 'stands'])[];
}

async function play(
  then: readonly object[],
  meet: (faults: MemoryCloud['faults']) => void = () => undefined,
): Promise<Played> {
  const world = smallWorld();
  await world.apply([...base, rule('https', { group: 'web' })], { estate });
  meet(world.cloud.faults);
  const began = world.clock.now();
  const applied = await world.apply([...base, ...then], { estate });
  const atoms = world.cloud.inspect.atoms().filter(({ key }) => key.includes(' 443 '));
  return {
    ...applied,
    spans: atoms.map(({ from, until }) => [from - began, until === undefined ? 'stands' : until - began]),
  };
}

const refuse = (code: 'QuotaExceeded' | 'Denied') => (faults: MemoryCloud['faults']) =>
  faults.add({ on: 'AuthorizeRules', fault: { do: 'refuse', code } });

const moves: readonly (readonly [name: string, then: object])[] = [
  ['to another group of the same machine', rule('https', { group: 'app' })],
  ['to every machine', rule('https', { group: undefined })],
  ['under another name to another group', rule('https2', { group: 'app' })],
  ['to other peers', rule('https', { group: 'web', peers: { cidrs: ['10.0.0.0/8'] } })],
];

describe('a rule that moves', () => {
  for (const [name, then] of moves) {
    it(`${name}: the new stands before the old goes`, async () => {
      const { outcome, writes, spans } = await play([then]);
      assert.equal(outcome, 'done');
      assert.deepEqual(writes, ['AuthorizeRules', 'RevokeRules']);
      assert.equal(spans.filter(([, until]) => until === 'stands').length, 1);
    });

    for (const code of ['QuotaExceeded', 'Denied'] as const) {
      it(`${name}: its creation is refused (${code}), and the old stays and is named`, async () => {
        const { outcome, writes, spans, passes } = await play([then], refuse(code));
        assert.equal(outcome, 'failed');
        assert.ok(!writes.includes('RevokeRules'));
        assert.deepEqual(
          spans.map(([, until]) => until),
          ['stands'],
        );
        const [held] = passes.flatMap(({ findings }): readonly Finding[] => findings);
        assert.ok(held?.type === 'withheld' && held.action === 'delete' && held.code === 'depends');
        assert.match(held.why, new RegExp(`^waits for .*, which did not go well \\(${code}\\)\\.$`));
      });
    }
  }

  it('is let through all the time while its creation is slow, or throttled', async () => {
    const slow = await play([rule('https', { group: 'app' })], (faults) =>
      faults.add({ on: 'AuthorizeRules', fault: { do: 'delay', ms: 30_000 } }),
    );
    const throttled = await play([rule('https', { group: 'app' })], (faults) =>
      faults.add({ on: 'AuthorizeRules', times: 6, fault: { do: 'refuse', code: 'Throttled', retryAfterMs: 5000 } }),
    );
    for (const { outcome, spans } of [slow, throttled]) {
      assert.equal(outcome, 'done');
      const [old, successor] = spans;
      assert.ok(old && successor && typeof old[1] === 'number' && successor[0] <= old[1], JSON.stringify(spans));
    }
  });

  it('in a group without room for both: a finding says so, nothing is sent, and the old stay', async () => {
    const world = smallWorld();
    const ports = (from: number): string[] =>
      Array.from({ length: 31 }, (_, n) => `${from + 10 * n}-${from + 10 * n + 5}`);
    const rules = (from: number) => rule('https', { group: 'web', ports: ports(from) });
    await world.apply([...base, rules(1000)], { estate });
    const { writes, last } = await world.apply([...base, rules(1003)], { estate });
    assert.deepEqual(writes, []);
    const findings = last?.plan.findings ?? [];
    const codes = Map.groupBy(findings, (finding) => ('code' in finding ? finding.code : finding.type));
    assert.deepEqual([codes.get('quota')?.length, codes.get('depends')?.length], [31, 31]);
    assert.match(codes.get('quota')?.[0]?.why ?? '', /holds 31 rules and would get 31 more; a group takes 60\./);
  });

  it('to where no machine of its own stands is no successor: the old goes at once', async () => {
    const { outcome, spans } = await play([rule('https', { group: 'empty' })], refuse('Denied'));
    assert.equal(outcome, 'failed');
    assert.ok(spans.every(([, until]) => until !== 'stands'));
  });
});
