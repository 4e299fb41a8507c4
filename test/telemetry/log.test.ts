import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fields } from '../../src/ports/clock-and-log.ts';
import { createLog, logSettings } from '../../src/telemetry/log.ts';
import { barbs, obeyed } from '../support/barbed.ts';
import { assertHidden, canary } from '../support/canary.ts';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

/** A log in memory, at every level unless told otherwise. */
function captured(form: 'text' | 'json', level: 'debug' | 'warn' = 'debug') {
  const lines: string[] = [];
  return { lines, log: createLog({ write: (text) => lines.push(text) }, { form, level }) };
}

describe('a log as text', () => {
  const cases: readonly { name: string; fields: Fields; want: string }[] = [
    { name: 'no fields: time, level and message', fields: {}, want: 'info reconcile ended' },
    {
      name: 'fields in the order given',
      fields: { scope: 'aws/1111/eu-west-1', count: 3 },
      want: 'info reconcile ended scope=aws/1111/eu-west-1 count=3',
    },
    {
      name: 'a value of several words is quoted',
      fields: { reason: 'it said "no"' },
      want: 'info reconcile ended reason="it said \\"no\\""',
    },
    { name: 'an empty value is seen', fields: { code: '' }, want: 'info reconcile ended code=""' },
    {
      name: 'a new line in a value makes no line of its own',
      fields: { reason: 'one\ntwo level=error' },
      want: 'info reconcile ended reason="one\\ntwo level=error"',
    },
    {
      name: 'a value cannot steer the terminal',
      fields: { reason: '\u001b[2Jgone\u009b' },
      want: 'info reconcile ended reason="\\u001b[2Jgone\\u{9b}"',
    },
  ];
  for (const { name, fields, want } of cases)
    it(name, () => {
      const { log, lines } = captured('text');
      log.info('reconcile ended', fields);
      const [line = ''] = lines;
      assert.match(line, isoTime);
      assert.equal(line.slice(25), `${want}\n`);
    });
});

describe('a log as JSON', () => {
  it('has time, level, message and the fields, with their types', () => {
    const { log, lines } = captured('json');
    log.error('reconcile ended', { durationMs: 12, outcome: 'failed' });
    assert.equal(lines.length, 1);
    const { time, ...rest } = JSON.parse(lines.join(''));
    assert.match(time, isoTime);
    assert.deepEqual(rest, { level: 'error', message: 'reconcile ended', durationMs: 12, outcome: 'failed' });
  });

  it('cannot steer the terminal, and says the same', () => {
    const { log, lines } = captured('json');
    log.info('reconcile ended', { reason: barbs });
    assert.deepEqual(obeyed(lines.join('')), []);
    assert.equal(JSON.parse(lines.join('')).reason, barbs);
  });

  it('says what it was bound to in every line', () => {
    const { log, lines } = captured('json');
    const bound = log.with({ estate: 'acme' }).with({ scope: 'memory/one' });
    bound.info('first', { address: 'memory/one/network/core' });
    bound.warn('second');
    const said = lines.map((line) => JSON.parse(line)).map(({ estate, scope }) => `${estate} ${scope}`);
    assert.deepEqual(said, ['acme memory/one', 'acme memory/one']);
  });
});

describe('what a log keeps to itself', () => {
  for (const form of ['text', 'json'] as const)
    it(`${form}: fields that are not named, and values that are objects`, () => {
      const { log, lines } = captured(form);
      // why: a value of a caller that the compiler did not check
      const stray = { password: canary, reason: { deep: canary }, code: 'Denied' } as unknown as Fields;
      log.info('refused', stray);
      log.with(stray).info('refused');
      assertHidden(...lines);
      for (const line of lines) assert.match(line, /Denied/);
    });

  it('more of a value than a thousand characters', () => {
    const { log, lines } = captured('json');
    log.info('refused', { reason: 'x'.repeat(5000) });
    assert.equal(JSON.parse(lines.join('')).reason.length, 1001);
  });

  it('lines below its level', () => {
    const { log, lines } = captured('text', 'warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    assert.deepEqual(
      lines.map((line) => line.slice(25).trim()),
      ['warn c', 'error d'],
    );
  });
});

describe('the settings of a log', () => {
  it('are text and info where nothing is said', () => {
    assert.deepEqual(logSettings({}), { form: 'text', level: 'info' });
    assert.deepEqual(logSettings({ SETPOINT_LOG: '', SETPOINT_LOG_LEVEL: '' }), { form: 'text', level: 'info' });
  });
  it('are taken as said', () =>
    assert.deepEqual(logSettings({ SETPOINT_LOG: 'json', SETPOINT_LOG_LEVEL: 'debug' }), {
      form: 'json',
      level: 'debug',
    }));
  it('name what may stand there instead', () =>
    assert.throws(() => logSettings({ SETPOINT_LOG: 'xml' }), /SETPOINT_LOG is "xml": write one of text, json/));
});
