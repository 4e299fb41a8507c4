import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unexplainedEscapesOf } from './support/source/escapes.ts';
import { parseCheckout } from './support/source/project.ts';

const files = parseCheckout();
const written = files.filter(({ path }) => !path.startsWith('test/'));

/** Biome's own measures are in biome.json: lines of a file and a function, parameters, complexity. */
describe('the measures', () => {
  it('are taken of everything', () => assert.ok(written.length > 100, `only ${written.length} files`));

  it('no any, ! or as without its reason', () => assert.deepEqual(files.flatMap(unexplainedEscapesOf), []));
});
