import assert from 'node:assert/strict';
import { PassThrough as ReconcileThrough } from 'node:stream';
import { test } from 'node:test';
import { askYes } from '../../src/cli/prompt.ts';
import { fakeTerminal } from './support/fake-terminal.ts';

const question = { text: 'Apply these changes?', flag: '--yes' };
const forever = new AbortController().signal;

for (const [says, want] of [
  ['yes\n', true],
  [' yes \n', true],
  ['y\n', false],
  ['YES\n', false],
  ['\n', false],
  ['no\n', false],
] as const)
  test(`${JSON.stringify(says)} is ${want ? 'a yes' : 'no yes'}`, async () => {
    const terminal = fakeTerminal({ says });
    assert.equal(await askYes(terminal, question, forever), want);
    assert.match(terminal.stderr(), /Apply these changes\?/);
    assert.equal(terminal.stdout(), '', 'stdout is data');
  });

test('an input that ends without an answer is no yes', async () => {
  assert.equal(await askYes(fakeTerminal({ says: '' }), question, forever), false);
});

test('without a terminal it is an error that names the flag', async () => {
  await assert.rejects(askYes(fakeTerminal(), question, forever), (error: Error) => {
    assert.match(JSON.stringify(error), /--yes/);
    return true;
  });
});

test('Ctrl-C ends the question', async () => {
  const stop = new AbortController();
  const terminal = { ...fakeTerminal(), input: new ReconcileThrough() };
  const asked = askYes(terminal, question, stop.signal);
  stop.abort(new Error('interrupted'));
  await assert.rejects(asked, /interrupted|aborted/);
});
