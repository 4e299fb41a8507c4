import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revisionAcceptor } from '../../src/fleet/accept.ts';
import type { Source } from '../../src/fleet/worker-context.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { fleetWorld, today, treeOf } from '../support/fleet-world.ts';

it('who made a head is told before it comes into force, of the move from what was in force', async () => {
  const world = fleetWorld();
  const { store } = world;
  const asked: (readonly [string, string | undefined, number | undefined])[] = [];
  const source: Source = {
    name: 'https://git.example/infra.git',
    everyMs: 1,
    read: async () => assert.fail(),
    history: {
      judge: async () => ({ state: 'followed', why: '' }),
      authors: async (revision, before) => {
        asked.push([revision, before, (await store.generations.current('acme'))?.number]);
        return { names: [`${revision}@acme.example`], more: false };
      },
    },
  };
  const gate = await revisionAcceptor('acme', source, world.yard);
  for (const revision of ['git:1', 'git:2', 'git:2']) await gate(parseKept(treeOf([network()]), revision, today));
  assert.deepEqual(asked, [
    ['git:1', undefined, undefined],
    ['git:2', 'git:1', 1],
  ]);
  const told = (name: string) => ({ names: [name], more: false });
  assert.deepEqual(await store.authors.since('acme', 0, 10), [
    { generation: 1, told: told('git:1@acme.example') },
    { generation: 2, told: told('git:2@acme.example') },
  ]);
});
