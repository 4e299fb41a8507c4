import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { commandsFor } from '../../src/cli/commands/index.ts';
import { contextOn } from './support/context.ts';

type Command = ReturnType<Awaited<ReturnType<typeof commandsFor>>[number]>;

const allCommands = async (first?: string): Promise<readonly Command[]> => {
  return (await commandsFor(first)).map((make) => make(contextOn()));
};
const namesFor = async (first?: string): Promise<readonly string[]> =>
  (await allCommands(first)).map((command) => command.name());

const files = readdirSync(new URL('../../src/cli/commands/', import.meta.url)).map((file) => file.replace('.ts', ''));
const verbs = files.filter((file) => file !== 'index').toSorted();

describe('which verbs a command line may need', () => {
  test('each file of the folder is a verb', async () => assert.deepEqual((await namesFor()).toSorted(), verbs));
  for (const name of verbs) test(`${name} only`, async () => assert.deepEqual(await namesFor(name), [name]));
  for (const first of ['help', '--dir', 'pla', '--help'])
    test(`all: ${first}`, async () => assert.equal((await namesFor(first)).length, verbs.length));
});

/** Lines of `--help` that end before the terminal does, although the next word has room there. */
function endedEarly(command: Command, columns: number): readonly string[] {
  const help = command.createHelp();
  const wrapped = help.boxWrap(help.commandDescription(command), columns);
  return wrapped.split('\n\n').flatMap((paragraph) => {
    const lines = paragraph.split('\n');
    return lines.filter((line, at) => {
      const [word] = lines[at + 1]?.split(' ') ?? [];
      return word !== undefined && line.length + 1 + word.length <= columns;
    });
  });
}

test('help wraps to the width of the terminal, and nowhere before', async () => {
  const all = (await allCommands()).flatMap((command) => [command, ...command.commands]);
  for (const columns of [60, 80, 118, 200])
    for (const command of all) assert.deepEqual(endedEarly(command, columns), [], `${command.name()} at ${columns}`);
});
