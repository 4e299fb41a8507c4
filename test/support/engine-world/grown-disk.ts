import assert from 'node:assert/strict';
import { type machineIn, network } from './documents.ts';
import type { EngineWorld } from './engine-world.ts';

/** What a colleague does by hand to the machine `web-0`, which was launched with a disk of `size` GB and the label `tier: web`. */
export interface Colleague {
  readonly size: number;
  /** Makes the disk 40 GB large, and the label another. */
  grow(): Promise<void>;
  /** Names of machines and sizes of their disks, and the label `tier`. */
  seen(): Promise<{ readonly machines: readonly string[]; readonly sizes: readonly number[]; readonly tier: unknown }>;
}

/** Nothing that nobody asked for ends a machine or its disk, whoever applies: its label is healed, its size is for a person. */
export async function keepsGrownDisk(
  world: EngineWorld,
  machine: ReturnType<typeof machineIn>,
  { size: first, grow, seen }: Colleague,
): Promise<void> {
  const wanted = (size: number) => [network(), machine('web', { disk: { size } }, { labels: { tier: 'web' } })];
  for (const _ of ['made', 'up']) await world.apply(wanted(first));
  const before = await seen();
  assert.deepEqual([before.sizes, before.tier], [[first], 'web']);
  await grow();
  assert.deepEqual([(await seen()).sizes, (await seen()).tier], [[40], 'by-hand']);
  for (const unattended of [true, false]) {
    const { writes, last } = await world.apply(wanted(first), { unattended });
    assert.deepEqual(writes.filter(ends), []);
    const whys = (last?.plan.findings ?? []).map(({ why }) => why).join('\n');
    assert.match(whys, new RegExp(`disk\\.size is 40, wanted ${first}`));
    assert.match(whys, /write `disk: \{ size: 40 \}` in \S+:\d+/);
    assert.deepEqual(await seen(), { ...before, sizes: [40] });
  }
  const taken = await world.apply(wanted(40));
  assert.deepEqual([taken.outcome, taken.left, taken.writes], ['done', [], []]);
}

const ends = (write: string): boolean =>
  /(?:delete|stop|deallocate|powerOff|insert) |virtualMachines.createOrUpdate/.test(write);
