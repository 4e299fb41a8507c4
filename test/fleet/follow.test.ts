import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, silent, today, treeOf, where } from '../support/fleet-world.ts';

interface Followed {
  readonly world: FleetWorld;
  readonly refused: string[];
  /** What the folder holds from now on. */
  says(revision: string, documents: readonly object[]): void;
  end(): Promise<void>;
}

function followed({ allowEndpoint = true } = {}): Followed {
  const world = fleetWorld();
  const refused: string[] = [];
  let tree: SpecTree = parseKept({ specs: [], userData: [] }, 'nothing', today);
  const telemetry = silent(() => {});
  const log = {
    ...telemetry.log,
    error: (_: string, fields = {}) => void refused.push(String(Reflect.get(fields, 'why'))),
  };
  const yard = {
    ...world.yard,
    outside: { ...world.yard.outside, allowEndpoint },
    telemetry: { ...telemetry, log: { ...log, with: () => log } },
  };
  const stop = new AbortController();
  const ended = watchSource({ name: 'specs', everyMs: 1_000, read: async () => tree }, yard, stop.signal);
  return {
    world,
    refused,
    says: (revision, documents) => {
      tree = parseKept(treeOf(documents), revision, today);
    },
    end: () => {
      stop.abort();
      return ended;
    },
  };
}

describe('following a folder', () => {
  it('makes each sound state of it the next generation, with a wish for a pass, and nothing of what stays', async () => {
    const { world, says, end } = followed();
    says('r1', [network()]);
    await world.clock.advance(10_000);
    assert.equal((await world.store.generations.current('acme'))?.number, 1);
    assert.equal((await world.store.fleet.requests.pulse(where)).wish, 1);
    says('r2', [network({ internet: false })]);
    await world.clock.advance(2_000);
    assert.deepEqual(await world.store.fleet.requests.pulse(where), { wish: 2, reason: 'generation 2', generation: 2 });
    assert.ok(await world.store.fleet.trees.read('acme', 'r2'));
    await end();
  });

  it('keeps what was in force while the folder is empty or not sound, says why once, and goes on when it is mended', async () => {
    const { world, says, refused, end } = followed();
    await world.clock.advance(5_000);
    assert.deepEqual(refused, ['these specs have no Estate']);
    says('r1', [network()]);
    await world.clock.advance(3_000);
    says('r2', [{ kind: 'Network', metadata: { name: 'core' }, spec: { targets: ['nowhere'] } }]);
    await world.clock.advance(5_000);
    assert.equal((await world.store.generations.current('acme'))?.revision, 'r1');
    assert.equal(refused.length, 2);
    assert.match(refused[1] ?? '', /^all\.yaml:\d+:\d+: /);
    says('r3', [network({ internet: false })]);
    await world.clock.advance(3_000);
    assert.equal((await world.store.generations.current('acme'))?.revision, 'r3');
    await end();
  });
});
