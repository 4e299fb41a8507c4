import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { names, paths, trees, urls } from '../../bench/hostile-git/rows.ts';
import { hostileWorld } from '../../bench/hostile-git/world.ts';
import {
  addresses,
  environments,
  hostileGit,
  judgeAddresses,
  judgeEnvironments,
  judgeTrees,
  treeClasses,
  withoutName,
  withoutUrl,
} from '../../bench/hostile-git.ts';
import { guards } from '../../src/source/git/guards.ts';

const worlds: ReturnType<typeof hostileWorld>[] = [];
after(() => {
  for (const world of worlds) world.remove();
});

function world() {
  const made = hostileWorld();
  worlds.push(made);
  return made;
}

const none = <T extends Readonly<Record<string, string>>>(table: T, ...leftOut: readonly string[]) =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !leftOut.includes(name)));

test('nothing outside is read, nothing is run, all of it is refused', async () => {
  const figures = await hostileGit();
  assert.deepEqual(
    figures.map(({ value }) => value),
    [0, 0],
  );
});

test('there are as many rows as are promised, each of a class that is shown to matter', () => {
  assert.ok(new Set(trees.map(([of, what]) => `${of} ${what}`)).size >= 60);
  assert.ok(new Set(addresses.map(({ use, text }) => `${use} ${text}`)).size >= 100);
  assert.deepEqual(new Set(trees.map(([of]) => of)), new Set(Object.keys(treeClasses)));
  const rules = guards.urls.rules.map(({ name }) => name);
  assert.deepEqual(new Set(Object.keys(urls)), new Set(['form', ...rules]));
  for (const [rows, known] of [
    [names, guards.names],
    [paths, guards.paths],
  ] as const)
    assert.deepEqual(new Set(Object.keys(rows)), new Set(known.map(({ name }) => name)));
});

describe('a row of each class fails with its check removed', () => {
  for (const [of, { without }] of Object.entries(treeClasses))
    test(`trees: ${of}`, async () => {
      for (const row of trees.filter(([name]) => name === of))
        if ((await judgeTrees(world(), [row], without(guards))).length > 0) return;
      assert.fail('nothing changed');
    });

  for (const of of Object.keys(urls))
    test(`addresses: ${of}`, async () => {
      const rows = addresses.filter((row) => row.use === 'url' && row.of === of);
      const breaches = await judgeAddresses(world(), rows, withoutUrl(of)(guards));
      assert.ok(breaches.length > 0, 'nothing changed');
      assert.ok(!breaches.some(({ how }) => how === 'ran'), 'git itself is kept from it as well');
    });

  for (const [use, table, classes] of [
    ['branch', 'names', names],
    ['path', 'paths', paths],
  ] as const)
    for (const of of Object.keys(classes))
      test(`${table}: ${of}`, async () => {
        const rows = addresses.filter((row) => row.use === use && row.of === of);
        const breaches = await judgeAddresses(world(), rows, withoutName(table, of)(guards));
        assert.ok(breaches.length > 0, 'nothing changed');
      });
});

test('an address that runs a program runs it where neither we nor git keep it from that', async () => {
  const { forms } = withoutUrl('form')(guards).urls;
  const open = { ...guards, urls: { forms, rules: [] } };
  const house = { ...open.house, variables: { ...open.house.variables, GIT_ALLOW_PROTOCOL: 'ext' } };
  const rows = addresses.filter(({ use, text }) => use === 'url' && text.startsWith('ext::sh -c'));
  const breaches = await judgeAddresses(world(), rows, { ...open, house });
  assert.deepEqual(
    breaches.map(({ how }) => how),
    ['ran'],
  );
});

const openings: readonly { name: string; passed: readonly string[]; variable: string; key: string }[] = [
  {
    name: 'a configuration of a user',
    passed: ['GIT_CONFIG_GLOBAL'],
    variable: 'GIT_CONFIG_GLOBAL',
    key: 'core.hooksPath',
  },
  { name: 'a trace into a file', passed: ['GIT_TRACE'], variable: '', key: '' },
];

for (const { name, passed, variable, key } of openings) {
  test(`an environment that is passed on runs what it names: ${name}`, async () => {
    const { house } = guards;
    const open = {
      passed: [...house.passed, ...passed],
      variables: none(house.variables, variable),
      config: none(house.config, key),
    };
    const row = Object.fromEntries(Object.entries(environments).filter(([what]) => what === name));
    const breaches = await judgeEnvironments(world(), row, { ...guards, house: open });
    assert.deepEqual(
      breaches.map(({ how }) => how),
      ['ran'],
    );
  });
}
