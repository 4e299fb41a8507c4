import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unexplainedEscapesOf } from './support/source/escapes.ts';
import { exportsOf, interfacesOf, isVocabulary } from './support/source/measures.ts';
import { parseCheckout } from './support/source/project.ts';

const MOST_MEMBERS = 6;
const MOST_EXPORTS = 6;

/** Tables and registries: files that are one thing in many rows, each with its reason. */
const MANY_EXPORTS: Readonly<Record<string, string>> = {};

/** Records whose fields somebody outside this code has counted, each with its reason; by file and name. */
const MANY_MEMBERS: Readonly<Record<string, string>> = {
  'src/core/render/summary.ts Summary': 'the eleven counts that the JSON of a plan promises its readers',
};

const files = parseCheckout();
const written = files.filter(({ path }) => !path.startsWith('test/'));
const overLimit = written.filter((file) => !isVocabulary(file) && exportsOf(file).length > MOST_EXPORTS);

/** What Biome counts is in biome.json: lines of a file and a function, parameters, complexity. */
describe('the measures', () => {
  it('are taken of everything', () => assert.ok(written.length > 100, `only ${written.length} files`));

  it(`an interface has at most ${MOST_MEMBERS} members`, () => {
    const large = written.flatMap((file) =>
      interfacesOf(file)
        .filter(({ name, members }) => members > MOST_MEMBERS && !(`${file.path} ${name}` in MANY_MEMBERS))
        .map(({ place, name, members }) => `${place} ${name}: ${members}`),
    );
    assert.deepEqual(large, []);
  });

  it(`a file that does something exports at most ${MOST_EXPORTS} names`, () => {
    const many = overLimit.filter((file) => !(file.path in MANY_EXPORTS));
    assert.deepEqual(
      many.map((file) => `${file.path}: ${exportsOf(file).length}`),
      [],
    );
  });

  it('a file allowed more exports exists and needs it', () => {
    const needing = overLimit.map(({ path }) => path);
    assert.deepEqual(
      Object.keys(MANY_EXPORTS).filter((path) => !needing.includes(path)),
      [],
    );
  });

  it('no any, ! or as without its reason', () => assert.deepEqual(files.flatMap(unexplainedEscapesOf), []));
});
