import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, treeOf } from '../support/fleet-world.ts';

const tree = (revision: string, port: number): SpecTree =>
  parseKept(treeOf([network(), rule('web', { ports: [port] })]), revision, today);

function worker(world: FleetWorld, first: SpecTree) {
  let seen = first;
  const stop = new AbortController();
  const ended = watchSource({ name: 'specs', everyMs: 1_000, read: async () => seen }, world.yard, stop.signal);
  return {
    says: (next: SpecTree) => {
      seen = next;
    },
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

const inForce = async ({ store }: FleetWorld) => {
  const current = await store.generations.current('acme');
  return [current?.number, current?.revision];
};

/** One worker brought the second generation in, and is gone. */
async function second(): Promise<FleetWorld> {
  const world = fleetWorld();
  const one = worker(world, tree('r1', 80));
  await world.clock.advance(3_000);
  one.says(tree('r2', 443));
  await world.clock.advance(3_000);
  assert.deepEqual(await inForce(world), [2, 'r2']);
  await one.end();
  return world;
}

describe('a worker that begins to follow a folder', () => {
  it('does not take a commit back where its copy lags behind', async () => {
    const world = await second();
    const two = worker(world, tree('r1', 80));
    await world.clock.advance(60_000);
    assert.deepEqual(await inForce(world), [2, 'r2']);
    two.says(tree('r3', 8443));
    await world.clock.advance(3_000);
    assert.deepEqual(await inForce(world), [3, 'r3']);
    await two.end();
  });

  it('goes back with it once it has had the time to catch up, and at once when it was seen to go back', async () => {
    const world = await second();
    const two = worker(world, tree('r1', 80));
    await world.clock.advance(602_000);
    assert.deepEqual(await inForce(world), [3, 'r1']);
    two.says(tree('r2', 443));
    await world.clock.advance(3_000);
    assert.deepEqual(await inForce(world), [4, 'r2']);
    await two.end();
  });
});
