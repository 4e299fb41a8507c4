import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, treeOf } from '../support/fleet-world.ts';

const tree = (revision: string, documents: readonly object[]): SpecTree =>
  parseKept(treeOf(documents), revision, today);
const whole = [network(), rule('https'), rule('ssh', { ports: [22] })];
const half = whole.slice(0, 2);

interface Followed {
  readonly world: FleetWorld;
  says(seen: SpecTree | Promise<SpecTree>): void;
  revision(): Promise<string | undefined>;
  end(): Promise<void>;
}

function followed(): Followed {
  const world = fleetWorld();
  let seen: SpecTree | Promise<SpecTree> = tree('r1', whole);
  const stop = new AbortController();
  const ended = watchSource({ name: 'specs', everyMs: 1_000, read: async () => seen }, world.yard, stop.signal);
  return {
    world,
    says: (next) => {
      seen = next;
    },
    revision: async () => (await world.store.generations.current('acme'))?.revision,
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

describe('a folder in the middle of being written', () => {
  it('is believed once it stands still', async () => {
    const { world, says, revision, end } = followed();
    await world.clock.advance(5_000);
    assert.equal(await revision(), 'r1');
    for (const half of ['r2', 'r3', 'r4']) {
      says(tree(half, [...whole, rule(half, { ports: [80] })]));
      await world.clock.advance(1_000);
    }
    assert.equal(await revision(), 'r1');
    await world.clock.advance(1_000);
    assert.equal(await revision(), 'r4');
    await end();
  });

  it('removes nothing while a checkout has not written everything again', async () => {
    const { world, says, revision, end } = followed();
    await world.clock.advance(5_000);
    says(tree('half', half));
    await world.clock.advance(9_000);
    assert.equal(await revision(), 'r1');
    says(tree('r2', [...whole, rule('http', { ports: [80] })]));
    await world.clock.advance(2_000);
    assert.equal(await revision(), 'r2');
    says(tree('half', half));
    await world.clock.advance(12_000);
    assert.equal(await revision(), 'half', 'what stays away is meant');
    await end();
  });

  it('is held against what is in force also by a worker that has only begun to follow it', async () => {
    const { world, says, revision, end } = followed();
    await world.clock.advance(5_000);
    await end();
    says(tree('half', half));
    const stop = new AbortController();
    const again = watchSource(
      { name: 'specs', everyMs: 1_000, read: async () => tree('half', half) },
      world.yard,
      stop.signal,
    );
    await world.clock.advance(9_000);
    assert.equal(await revision(), 'r1');
    stop.abort();
    await again;
  });
});

describe('a folder that is slow to answer', () => {
  it('makes no generation of what it held when another worker led already', async () => {
    const { world, says, revision, end } = followed();
    await world.clock.advance(5_000);
    const late = tree('r2', [...whole, rule('http', { ports: [80] })]);
    const slow = Promise.withResolvers<SpecTree>();
    says(late);
    await world.clock.advance(1_000);
    says(slow.promise);
    world.store.stall();
    await world.clock.advance(20_000);
    assert.ok((await world.store.leases.acquire('acme', 'specs', 'worker-2')).ok);
    await world.accept([...whole, rule('newer', { ports: [81] })]);
    const newer = await revision();
    slow.resolve(late);
    await world.clock.advance(5_000);
    assert.equal(await revision(), newer);
    await end();
  });
});
