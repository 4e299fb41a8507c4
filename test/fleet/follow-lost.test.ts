import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchSource } from '../../src/fleet/source-watcher.ts';
import type { HistoryValidation } from '../../src/fleet/worker-context.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { fleetWorld, today, treeOf } from '../support/fleet-world.ts';

it('a worker that lost the lease while it judged neither accepts nor says anything', async () => {
  const { clock, store, yard } = fleetWorld();
  const judging = Promise.withResolvers<HistoryValidation>();
  const source = {
    name: 'https://git.example/infra.git',
    everyMs: 30_000,
    read: async () => parseKept(treeOf([network()]), 'git:1', today),
    history: { judge: () => judging.promise },
  };
  const stop = new AbortController();
  const ended = watchSource(source, yard, stop.signal);
  await clock.advance(3_000);
  store.stall();
  await clock.advance(60_000);
  judging.resolve({ state: 'unsigned', why: 'nobody signed it' });
  stop.abort();
  await ended;
  assert.deepEqual(await store.sources.states.list('acme'), []);
  assert.equal(await store.generations.current('acme'), undefined);
});
