import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { verbsFor } from '../../src/cli/commands/index.ts';
import { houseOn } from '../../src/config.ts';
import { fakeTerminal } from './support/fake-terminal.ts';
import { realClock } from './support/in-process.ts';

const namesFor = async (first?: string): Promise<readonly string[]> => {
  const context = {
    terminal: fakeTerminal(),
    house: houseOn(realClock),
    clock: realClock,
    stop: new AbortController().signal,
    finish: () => {},
  };
  return (await verbsFor(first)).map((make) => make(context).name());
};

const files = readdirSync(new URL('../../src/cli/commands/', import.meta.url)).map((file) => file.replace('.ts', ''));
const verbs = files.filter((file) => file !== 'index').toSorted();

describe('which verbs a command line may need', () => {
  test('each file of the folder is a verb', async () => assert.deepEqual((await namesFor()).toSorted(), verbs));
  for (const name of verbs) test(`${name} only`, async () => assert.deepEqual(await namesFor(name), [name]));
  for (const first of ['help', '--dir', 'pla', '--help'])
    test(`all: ${first}`, async () => assert.equal((await namesFor(first)).length, verbs.length));
});
