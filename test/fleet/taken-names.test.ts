import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionAcceptor } from '../../src/fleet/accept.ts';
import { parseKept } from '../../src/source/kept-tree.ts';
import { network } from '../support/engine-world/documents.ts';
import { fleetWorld, today, treeOf } from '../support/fleet-world.ts';

const sources = ['web', 'db'].map((name) => ({ name, repo: `/srv/${name}.git`, owners: [name] }));

/** The estate of two teams, each with these networks: `{ name, cidr, was }`. */
function specs(revision: string, teams: Readonly<Record<string, readonly object[]>>) {
  const root = treeOf([], { sources }).specs;
  const trees = Object.entries(teams).map(([team, metadata]) => ({
    path: `@${team}/nets.yaml`,
    text: metadata
      .map((own, index) => network({ cidr: `10.${team.length}${index}.0.0/16`, subnets: [] }, { owner: team, ...own }))
      .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
      .join('\n---\n'),
  }));
  const tree = parseKept({ specs: [...root, ...trees], userData: [] }, revision, today);
  assert.deepEqual(
    tree.problems.map(({ message }) => message),
    [],
  );
  return tree;
}

test("a team's name of old is let in where it is its own, and held back where it was another's", async () => {
  const { yard, store } = fleetWorld();
  const history = { judge: async () => ({ state: 'followed', why: '' }) as const };
  const source = { name: 'git', everyMs: 1, read: async () => specs('git:0', {}), history };
  const gate = await revisionAcceptor('acme', source, yard);
  const revision = async (): Promise<string | undefined> => (await store.generations.current('acme'))?.revision;

  await gate(specs('git:1', { web: [{ name: 'site' }], db: [{ name: 'data' }] }));
  assert.equal(await revision(), 'git:1');

  const held = await gate(specs('git:2', { web: [{ name: 'site' }, { name: 'mine', was: ['data'] }], db: [] }));
  assert.equal(held?.state, 'broken');
  assert.match(
    held?.why ?? '',
    /^@web\/nets\.yaml:3:\d+: `data` is in force in no file of `@web\/`; expected: a former name/,
  );
  assert.equal(await revision(), 'git:1');

  const renamed = await gate(specs('git:3', { web: [{ name: 'shop', was: ['site'] }], db: [{ name: 'data' }] }));
  assert.deepEqual([renamed?.state, await revision()], ['followed', 'git:3']);
});
