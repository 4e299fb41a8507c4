import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isExportDeclaration } from 'typescript/unstable/ast/is';
import { importsOf } from './support/source/imports.ts';
import { impuritiesOf } from './support/source/impurity.ts';
import { EXCEPTIONS, LAYERS, trespassesOf } from './support/source/layers.ts';
import { nodesOf, parseCheckout, placeOf } from './support/source/project.ts';

const files = parseCheckout();
const shipped = files.filter(({ path }) => /^(src|providers|sandbox)\//.test(path));

/** The parts of every cloud, under the same name in each: a file, or a folder if the file grew too large. */
const CELLS = [
  'index',
  'client',
  'errors',
  'rate-limits',
  'marks',
  'network',
  'subnet',
  'group',
  'firewall-rule',
  'instance',
];

/** Not one cloud's: the three secret stores, of which any target may use any; the witnesses; code that all clouds share. */
const ACROSS_CLOUDS = ['secrets', 'witness', 'shared'];

const clouds = readdirSync('providers', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !ACROSS_CLOUDS.includes(entry.name))
  .map(({ name }) => name)
  .sort();

/** Paths that a file resolves against its own place. */
const relativePathsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url\)/g)].map(([, path = '']) => path),
  ...[...text.matchAll(/(?:join|resolve)\(import\.meta\.dirname,\s*'([^']+)'/g)].map(([, path = '']) => path),
];

describe('the house', () => {
  it('is looked at whole', () => assert.ok(shipped.length > 50, `only ${shipped.length} files`));

  for (const layer of LAYERS) {
    const within = files.filter(({ path }) => layer.at.some((prefix) => path.startsWith(prefix)));
    it(`${layer.name} imports what its row allows`, () => assert.deepEqual(within.flatMap(trespassesOf), []));
  }

  // why: builds make these folders, so a checkout has none of them
  const built = [join('console', 'dist')];

  // why: a moved file whose `..` no longer leads anywhere fails only where somebody runs it
  it('names by `..` only files and folders of the project', () => {
    const lost = files.flatMap(({ path }) =>
      relativePathsIn(readFileSync(path, 'utf8')).flatMap((relative) => {
        const there = join(dirname(path), relative);
        return there.startsWith('..') || !(existsSync(there) || built.includes(there)) ? [`${path}: ${relative}`] : [];
      }),
    );
    assert.deepEqual(lost, []);
  });

  it('has no file outside its layers', () => {
    const strays = files.flatMap(trespassesOf).filter((sentence) => sentence.includes('lies in no layer'));
    assert.deepEqual(strays, []);
  });

  it('names in its table only layers that the table has', () => {
    const names = new Set(LAYERS.map(({ name }) => name));
    const named = [...LAYERS.flatMap(({ layers }) => layers), ...EXCEPTIONS.map(({ layer }) => layer)];
    assert.deepEqual(
      named.filter((name) => !names.has(name)),
      [],
    );
  });

  it('has a core that is pure: no waiting, clock, chance or outside world', () => {
    const core = shipped.filter(({ path }) => path.startsWith('src/core/'));
    assert.deepEqual(core.flatMap(impuritiesOf), []);
  });

  it('passes nothing on from one file through another', () => {
    const passing = shipped.flatMap((file) =>
      [...nodesOf(file.tree)]
        .filter((node) => isExportDeclaration(node) && node.moduleSpecifier !== undefined)
        .map((node) => placeOf(file, node)),
    );
    assert.deepEqual(passing, []);
  });

  it('calls no file by a name that says nothing', () => {
    const empty = /^(utils?|helpers?|common|types?|base|managers?|services?|misc|shared)$/;
    const called = files.filter(
      ({ path }) =>
        empty.test(basename(path, '.ts')) ||
        path
          .replace('providers/shared/', 'providers/')
          .split('/')
          .some((p) => empty.test(p)),
    );
    assert.deepEqual(
      called.map(({ path }) => path),
      [],
    );
  });

  // until providers/index.ts lands
  it('registers every cloud that has a folder', () => {
    const registry = files.find(({ path }) => path === 'providers/index.ts');
    assert.ok(registry);
    const registered = importsOf(registry).flatMap(({ file }) => file?.match(/^providers\/([^/]+)\//)?.[1] ?? []);
    assert.deepEqual([...new Set(registered)].sort(), clouds);
  });

  for (const cloud of clouds) {
    it(`answers the same questions in the same places: ${cloud}`, () => {
      const missing = CELLS.filter(
        (cell) => ![`${cell}.ts`, cell].some((name) => existsSync(`providers/${cloud}/${name}`)),
      );
      assert.deepEqual(missing, []);
    });
  }
});
