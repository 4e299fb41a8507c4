import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { clouds } from '../../src/core/resource.ts';

/** Folders of code that clouds share. */
const shared = ['secrets', 'shared', 'witness'];

it('what specs may name is what there is a provider of', async () => {
  const entries = await readdir(new URL('../../providers/', import.meta.url), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(clouds.toSorted(), folders.filter((name) => !shared.includes(name)).toSorted());
});
