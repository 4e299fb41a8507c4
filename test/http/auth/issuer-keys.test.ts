import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Issuer } from '../../../src/core/access/access-document.ts';
import { issuerKeys } from '../../../src/http/auth/issuer-keys.ts';
import type { Log } from '../../../src/ports/clock-and-log.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const minute = 60_000;
const issuer: Issuer = { issuer: 'https://login.example', audience: 'setpoint', algorithms: ['RS256'] };
const discovery = 'https://login.example/.well-known/openid-configuration';

function provider(said: Partial<Issuer> = {}, more: Readonly<Record<string, unknown>> = {}) {
  const clock = virtualClock();
  const lines: unknown[] = [];
  const fetched: string[] = [];
  const state = { kids: ['a'], away: false };
  const log: Log = { ...silent, warn: (_, fields) => void lines.push(fields) };
  const keys = issuerKeys(
    { ...issuer, ...said },
    {
      clock,
      log,
      fetchJson: async (url) => {
        fetched.push(url);
        if (state.away) throw new Error('gone');
        if (url in more) return more[url];
        if (url.endsWith('openid-configuration')) return { issuer: issuer.issuer, jwks_uri: 'https://keys.example/k' };
        return { keys: state.kids.map((kid) => ({ kty: 'RSA', kid })) };
      },
    },
  );
  return { keys, clock, lines, fetched, state };
}
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const count = async (keys: ReturnType<typeof issuerKeys>, kid: string) => (await keys.by(kid)).length;

describe('keys of an issuer', () => {
  it('are where its discovery document says, fetched once by many who ask at once', async () => {
    const { keys, fetched } = provider();
    assert.deepEqual(await Promise.all(Array.from({ length: 50 }, () => count(keys, 'a'))), Array(50).fill(1));
    assert.deepEqual(fetched, [discovery, 'https://keys.example/k']);
  });

  it('are where the access file says, and its discovery document is not asked', async () => {
    const { keys, fetched } = provider({ jwks: 'https://pinned.example/k' });
    assert.equal(await count(keys, 'a'), 1);
    assert.deepEqual(fetched, ['https://pinned.example/k']);
  });

  it('a new one is known a minute after the last fetch, and not by asking more often', async () => {
    const { keys, fetched, state, clock } = provider();
    await keys.by('a');
    state.kids = ['b'];
    for (let asked = 0; asked < 100; asked += 1) assert.equal(await count(keys, `x${asked}`), 0);
    await clock.advance(minute - 1);
    assert.equal(await count(keys, 'b'), 0);
    assert.equal(fetched.length, 2);
    await clock.advance(1);
    assert.deepEqual([await count(keys, 'b'), fetched.length], [1, 4]);
  });

  it('one that was withdrawn counts for ten minutes more at most', async () => {
    const { keys, state, clock } = provider();
    await keys.by('a');
    state.kids = [];
    await clock.advance(10 * minute - 1);
    assert.equal(await count(keys, 'a'), 1);
    await clock.advance(1);
    assert.equal(await count(keys, 'a'), 0);
  });

  it('are away: what is known counts for an hour, what is not cannot be told, and it is asked every ten seconds', async () => {
    const { keys, state, clock, fetched, lines } = provider();
    await keys.by('a');
    state.away = true;
    await clock.advance(10 * minute);
    for (let asked = 0; asked < 5; asked += 1) assert.equal(await count(keys, 'a'), 1);
    await assert.rejects(keys.by('b'));
    assert.equal(fetched.length, 3);
    await clock.advance(10_000);
    await keys.by('a');
    assert.equal(fetched.length, 4);
    assert.deepEqual(lines[0], { issuer: issuer.issuer, reason: 'gone' });
    await clock.advance(50 * minute);
    await assert.rejects(keys.by('a'));
    state.away = false;
    await clock.advance(10_000);
    assert.equal(await count(keys, 'a'), 1);
  });

  it('were never had: nobody can tell', async () => {
    const { keys, state } = provider();
    state.away = true;
    await assert.rejects(keys.by('a'));
  });
});

describe('what leads to no keys', () => {
  for (const [name, said] of [
    ['is of another issuer', { issuer: 'https://evil.example', jwks_uri: 'https://keys.example/k' }],
    ['is of the issuer with a slash', { issuer: `${issuer.issuer}/`, jwks_uri: 'https://keys.example/k' }],
    ['has no keys', { issuer: issuer.issuer }],
    ['is nothing', undefined],
  ] as const)
    it(`a discovery document that ${name} leads to none`, async () => {
      const { keys, fetched } = provider({}, { [discovery]: said });
      await assert.rejects(keys.by('a'));
      assert.deepEqual(fetched, [discovery]);
    });

  for (const [name, said] of [
    ['too many', { keys: Array(101).fill({ kty: 'RSA', kid: 'a' }) }],
    ['a text', 'keys'],
    ['keys without a type', { keys: [{ kid: 'a' }] }],
  ] as const)
    it(`a set that is ${name} is none`, async () => {
      const { keys } = provider({}, { 'https://keys.example/k': said });
      await assert.rejects(keys.by('a'));
    });
});
