import assert from 'node:assert/strict';
import { PassThrough as ReconcileThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { UserError } from '../../../src/cli/errors.ts';
import { applyKeys, askSecret, type TypedLine } from '../../../src/cli/prompt.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const rows: readonly (readonly [name: string, keys: readonly string[], line: TypedLine])[] = [
  ['in one piece', ['abc\n'], { text: 'abc', ended: 'whole' }],
  ['key by key, ended by return', ['a', 'b', 'c', '\r'], { text: 'abc', ended: 'whole' }],
  ['what follows the end is dropped', ['abc\ndef\n'], { text: 'abc', ended: 'whole' }],
  ['not ended yet', ['ab'], { text: 'ab' }],
  ['backspace takes one character, also of two units', ['ab🙂\x7f\x7fc\n'], { text: 'ac', ended: 'whole' }],
  ['Ctrl-U takes all', ['wrong\x15right\n'], { text: 'right', ended: 'whole' }],
  ['Ctrl-C gives up', ['abc\x03'], { text: 'abc', ended: 'stopped' }],
  ['Ctrl-D gives up an empty line only', ['\x04'], { text: '', ended: 'stopped' }],
  ['Ctrl-D within a line is nothing', ['ab\x04c\n'], { text: 'abc', ended: 'whole' }],
  ['longer than any token', ['x'.repeat(20_000)], { text: '', ended: 'too-long' }],
];

describe('a line that nobody sees', () => {
  for (const [name, keys, line] of rows)
    test(name, () => {
      const start: TypedLine = { text: '' };
      assert.deepEqual(keys.reduce(applyKeys, start), line);
    });
});

describe('a secret is asked for', () => {
  const question = { text: 'Token for https://setpoint.example', otherwise: 'Pipe it in.' };
  const never = new AbortController().signal;

  test('without showing it, and the terminal is left as it was', async () => {
    const raw: boolean[] = [];
    const input = Object.assign(new ReconcileThrough(), { setRawMode: (on: boolean) => void raw.push(on) });
    const terminal = { ...fakeTerminal(), input };
    const asked = askSecret(terminal, question, never);
    input.write('s3cret\r');
    assert.equal(await asked, 's3cret');
    assert.deepEqual(raw, [true, false]);
    assert.equal(input.isPaused(), true, 'else the process would not end');
    assert.equal(terminal.stderr(), 'Token for https://setpoint.example: \n');
    assert.equal(terminal.stdout(), '');
  });

  test('Ctrl-C ends it, and the terminal is left as it was', async () => {
    const raw: boolean[] = [];
    const input = Object.assign(new ReconcileThrough(), { setRawMode: (on: boolean) => void raw.push(on) });
    const asked = askSecret({ ...fakeTerminal(), input }, question, never);
    input.write('s3c\x03');
    await assert.rejects(asked, /Interrupted before/);
    assert.deepEqual(raw, [true, false]);
  });

  test('a run that is stopped stops asking', async () => {
    const stop = new AbortController();
    const asked = askSecret({ ...fakeTerminal(), input: new ReconcileThrough() }, question, stop.signal);
    stop.abort(new Error('interrupted'));
    await assert.rejects(asked, /interrupted/);
  });

  test('where nobody can be asked, it says how it can be given', async () => {
    await assert.rejects(
      askSecret(fakeTerminal(), question, never),
      (error) => error instanceof UserError && error.details.next === 'Pipe it in.',
    );
  });
});
