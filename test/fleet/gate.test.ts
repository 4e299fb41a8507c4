import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AcceptRevision, revisionAcceptor } from '../../src/fleet/accept.ts';
import type { CurrentRevision, HistoryValidation, Source } from '../../src/fleet/worker-context.ts';
import type { KeptTree } from '../../src/ports/fleet-state.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, today, treeOf } from '../support/fleet-world.ts';

const fine: HistoryValidation = { state: 'followed', why: '' };
const by = { person: 'ada', reason: 'a bad night' };

/** Heads of `acme` after one another, by their number. */
const head = (number: number): SpecTree => parseKept(treeOf([network()]), `git:${number}`, today);

const sourceOf = (judge: (head: string, after: CurrentRevision) => Promise<HistoryValidation>): Source => ({
  name: 'https://git.example/infra.git',
  everyMs: 1,
  read: async () => head(1),
  history: { judge },
});

const revisionOf = async ({ store }: FleetWorld): Promise<string | undefined> =>
  (await store.generations.current('acme'))?.revision;

/** A gate that finds every history fine, through which this tree has come. */
async function letIn(world: FleetWorld, tree: SpecTree): Promise<AcceptRevision> {
  const fromFine = sourceOf(async () => fine);
  const gate = await revisionAcceptor('acme', fromFine, world.yard);
  await gate(tree);
  return gate;
}

/** Past the gate, as a person does who goes back to a commit. */
async function bringIn({ store }: FleetWorld, revision: string, tree: KeptTree): Promise<void> {
  const current = await store.generations.current('acme');
  assert.ok(current);
  await store.fleet.trees.keep('acme', revision, tree);
  await store.generations.accept('acme', revision, current.guards);
}

describe('the gate to an estate', () => {
  it('lets nothing in that was judged beside what is not in force any more', async () => {
    const world = fleetWorld();
    const asked = Promise.withResolvers<void>();
    const judged = Promise.withResolvers<void>();
    const slow = async ({ revision }: CurrentRevision): Promise<HistoryValidation> => {
      if (revision === 'git:1') {
        asked.resolve();
        await judged.promise;
      }
      return revision === 'git:3' ? { state: 'rewritten', why: 'git:3 is no ancestor of git:2' } : fine;
    };
    const first = await revisionAcceptor(
      'acme',
      sourceOf((_, after) => slow(after)),
      world.yard,
    );
    await first(head(1));
    const late = first(head(2));
    await asked.promise;
    const second = await revisionAcceptor(
      'acme',
      sourceOf(async () => fine),
      world.yard,
    );
    await second(head(3));
    judged.resolve();
    assert.equal(await late, undefined);
    assert.equal(await revisionOf(world), 'git:3');
    assert.equal((await first(head(2)))?.state, 'rewritten');
    assert.equal(await revisionOf(world), 'git:3');
  });

  it('says nothing where a person pins the estate while a head is judged', async () => {
    const world = fleetWorld();
    const { sources } = world.store;
    const pins = sourceOf(async (_, { revision }) => {
      if (revision === 'git:1') await sources.pins.pin('acme', 'git:1', by);
      return fine;
    });
    const gate = await revisionAcceptor('acme', pins, world.yard);
    await gate(head(1));
    assert.equal(await gate(head(2)), undefined);
    assert.equal((await gate(head(2)))?.state, 'pinned');
    assert.equal(await revisionOf(world), 'git:1');
  });

  it('does not call followed what is not in force: a pin may have come and gone between two looks', async () => {
    const world = fleetWorld();
    const gate = await letIn(world, head(1));
    await bringIn(world, 'git:0', treeOf([network({ internet: false })]));
    assert.equal((await gate(head(1)))?.state, 'followed');
    assert.equal(await revisionOf(world), 'git:1');
  });
});

describe('who must have signed a head', () => {
  it('is not left to the head where what is in force cannot be read', async () => {
    const world = fleetWorld();
    const gate = await letIn(world, head(1));
    await bringIn(world, 'git:2', treeOf([network()], { mode: 'of another version' }));
    const held = await gate(head(3));
    assert.equal(held?.state, 'unsigned');
    assert.match(held?.why ?? '', /git:2.* cannot be read/);
    assert.equal(await revisionOf(world), 'git:2');
  });
});
