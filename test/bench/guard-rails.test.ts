import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { guardRails, type Mistake, mistakes, specs } from '../../bench/guard-rails.ts';

/** One machine more, and one rule less: what a person means. */
const meant: Mistake = {
  name: 'a change that is meant',
  commit: ({ checkout, sandbox }) =>
    writeFile(join(checkout, 'specs', 'all.yaml'), specs(sandbox.url, { rules: 7, replicas: 3 })),
};

describe('bench: guard-rails', () => {
  it('counts a launch and a deletion where somebody means them, and none of a folder that is gone', async () => {
    const [counted] = await guardRails([meant]);
    assert.equal(counted?.value, 2);
    const [none] = await guardRails(mistakes.filter(({ name }) => name === 'a renamed folder'));
    assert.equal(none?.value, 0);
  });
});
