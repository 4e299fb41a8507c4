import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { SecretRef } from '../../src/core/documents/secret-ref.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Asking, SecretStores } from '../../src/ports/secrets.ts';
import { secretsBy, type Ways } from '../../src/secrets/resolver.ts';
import { mostBytes } from '../../src/secrets/secret-text.ts';
import { assertHidden, canary } from '../support/canary.ts';

const folder = mkdtempSync(join(tmpdir(), 'setpoint-resolver-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'key'), `${canary}\n`);

const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:setpoint-a1b2c3';
const never: Result<never> = { ok: false, failure: { kind: 'terminal', code: 'unasked', message: 'unasked' } };
const unasked: SecretStores = { aws: async () => never, gcp: async () => never, azure: async () => never };
const signal = new AbortController().signal;

const resolve = (ref: SecretRef, ways: Partial<Ways> = {}, asking: Partial<Asking> = {}): Promise<Result<string>> =>
  secretsBy({ environment: {}, folder, stores: unasked, ...ways }).resolve(ref, { signal, ...asking });

const holding = (held: string | Uint8Array) => ({
  stores: { ...unasked, aws: async () => ({ ok: true, value: held }) as const },
});

const ends: readonly { name: string; held: string | Uint8Array; want: string | RegExp }[] = [
  { name: 'nothing at the end', held: 'a', want: 'a' },
  { name: 'a newline at the end', held: 'a\n', want: 'a' },
  { name: 'a newline as Windows has it', held: 'a\r\n', want: 'a' },
  { name: 'two newlines: one is the secret’s', held: 'a\n\n', want: 'a\n' },
  { name: 'blanks, which are the secret’s', held: ' a ', want: ' a ' },
  { name: 'bytes', held: Buffer.from('ä\n'), want: 'ä' },
  { name: 'as much as stores take', held: 'x'.repeat(mostBytes), want: 'x'.repeat(mostBytes) },
  { name: 'a byte more', held: canary.padEnd(mostBytes + 1, 'x'), want: /larger than 65536 bytes/ },
  { name: 'no text', held: Buffer.concat([Buffer.from(canary), Buffer.from([0xff])]), want: /no text in UTF-8/ },
  { name: 'nothing', held: '', want: /it is empty/ },
  { name: 'a newline alone', held: '\n', want: /it is empty/ },
];

describe('the text of a secret', () => {
  for (const { name, held, want } of ends)
    test(name, async () => {
      const text = await resolve({ uri: arn }, holding(held));
      if (typeof want === 'string') assert.deepEqual(text, { ok: true, value: want });
      else {
        assert.match(text.ok ? 'read' : text.failure.message, want);
        assertHidden(text);
      }
    });
});

describe('a variable', () => {
  const environment = { SETPOINT_SECRET_A: `${canary}\n`, SETPOINT_SECRET_EMPTY: '', AWS_SECRET_ACCESS_KEY: canary };
  test('is read, without the newline', async () =>
    assert.deepEqual(await resolve({ env: 'SETPOINT_SECRET_A' }, { environment }), { ok: true, value: canary }));
  for (const [name, why] of [
    ['SETPOINT_SECRET_B', /^the secret in SETPOINT_SECRET_B: this process has no such variable$/],
    ['SETPOINT_SECRET_EMPTY', /it is empty$/],
    ['AWS_SECRET_ACCESS_KEY', /only variables that begin SETPOINT_SECRET_ are read$/],
    ['toString', /only variables that begin/],
  ] as const)
    test(`${name} is none`, async () => {
      const held = await resolve({ env: name }, { environment });
      assert.match(held.ok ? 'read' : held.failure.message, why);
      assertHidden(held);
    });
});

test('a file is read, without the newline', async () =>
  assert.deepEqual(await resolve({ file: 'key' }), { ok: true, value: canary }));

describe('a store', () => {
  test('is asked for what the URI names, at the endpoint of the target', async () => {
    const asked: unknown[] = [];
    const stores: SecretStores = {
      ...unasked,
      gcp: async (uri, { endpoint }) => {
        asked.push({ uri, endpoint });
        return { ok: true, value: canary };
      },
    };
    const uri = 'gcpsecretmanager://projects/acme/secrets/s/versions/latest';
    const text = await resolve({ uri }, { stores }, { endpoint: 'http://127.0.0.1:4566' });
    assert.deepEqual(text, { ok: true, value: canary });
    const version = 'projects/acme/secrets/s/versions/latest';
    assert.deepEqual(asked, [{ uri: { cloud: 'gcp', version }, endpoint: 'http://127.0.0.1:4566' }]);
  });

  for (const endpoint of ['http://10.0.0.1', 'https://evil.example', 'http://127.0.0.1@evil.example'])
    test(`is never asked at ${endpoint}`, async () => {
      const text = await resolve({ uri: arn }, holding(canary), { endpoint });
      assert.match(text.ok ? 'read' : text.failure.message, /in their cloud or on loopback/);
    });

  test('that throws is not understood, and nothing of what it threw is kept', async () => {
    const aws = async (): Promise<never> => {
      throw new Error(`Unexpected token in ${canary}`, { cause: { body: canary } });
    };
    const text = await resolve({ uri: arn }, { stores: { ...unasked, aws } });
    assert.deepEqual(text, {
      ok: false,
      failure: {
        kind: 'terminal',
        code: 'secret-malformed',
        message: `the secret ${arn}: its store sent an invalid answer`,
      },
    });
  });

  test('that does not answer is given up, even if it does not hear the signal', async () => {
    const aws = (): Promise<never> => new Promise(() => undefined);
    const text = await resolve({ uri: arn }, { stores: { ...unasked, aws }, deadlineMs: 20 });
    assert.equal(text.ok ? 'read' : text.failure.kind, 'retryable');
    assert.match(text.ok ? 'read' : text.failure.message, /did not answer within 0.02 s/);
  });

  test('is not waited for once the reconcile is stopped', async () => {
    const stop = new AbortController();
    const aws = (): Promise<never> => new Promise(() => stop.abort(new Error('shutdown')));
    await assert.rejects(resolve({ uri: arn }, { stores: { ...unasked, aws } }, { signal: stop.signal }), /shutdown/);
    await assert.rejects(resolve({ file: 'key' }, {}, { signal: stop.signal }), /shutdown/);
  });

  test('is not asked for what is no URI of a secret', async () => {
    const text = await resolve({ uri: `https://${canary}/secrets/x` }, holding(canary));
    assert.equal(text.ok ? 'read' : text.failure.code, 'secret-malformed');
  });
});
