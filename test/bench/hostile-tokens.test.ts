import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { type Guards, hostileWorld } from '../../bench/hostile-tokens/world.ts';
import { breachesIn, hostileTokens, rows } from '../../bench/hostile-tokens.ts';
import { tokenRules } from '../../src/http/auth/api-tokens.ts';
import { type Claims, type JwtGuards, jwtGuards } from '../../src/http/auth/verify-jwt.ts';

const jwt = (change: Partial<JwtGuards>): Partial<Guards> => ({ jwt: { ...jwtGuards, ...change } });

const off = <T extends { readonly name: string }>(rules: readonly T[], name: string): readonly T[] =>
  rules.filter((rule) => rule.name !== name);

const each = (table: 'texts' | 'headers' | 'claims'): Readonly<Record<string, Partial<Guards>>> =>
  Object.fromEntries(
    jwtGuards[table].map(({ name }) => [name, jwt({ [table]: off<{ name: string }>(jwtGuards[table], name) })]),
  );

const anyAlgorithm = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256'];

/** By the name of a check, everything that a credential is held to but that one. */
export const without: Readonly<Record<string, Partial<Guards>>> = {
  ...each('texts'),
  ...each('headers'),
  ...each('claims'),
  issuer: jwt({ issuerOf: (trusted) => trusted[0] }),
  // why: without the check of types nobody knows its type
  types: jwt({ claimsOf: (said) => said as unknown as Claims }),
  algorithm: jwt({ checks: (issuer) => ({ ...jwtGuards.checks(issuer), algorithms: anyAlgorithm }) }),
  audience: jwt({ checks: ({ algorithms }) => ({ algorithms: [...algorithms] }) }),
  early: jwt({ checks: (issuer) => ({ ...jwtGuards.checks(issuer), clockTolerance: 3_600 }) }),
  use: jwt({ keyAmong: (named) => jwtGuards.keyAmong(named.map(({ use: _, ...key }) => key)) }),
  'key-algorithm': jwt({ keyAmong: (named) => jwtGuards.keyAmong(named.map(({ alg: _, ...key }) => key)) }),
  signature: jwt({ isProven: async () => true }),
  ...Object.fromEntries(
    tokenRules.map(({ name }) => [name === 'secret' ? name : `token-${name}`, { tokens: off(tokenRules, name) }]),
  ),
  scheme: { read: (header) => header?.split(' ').at(-1) },
};

test('nobody is let in', async () => {
  const [figure] = await hostileTokens();
  assert.equal(figure?.name, 'tokens');
  assert.equal(figure.value, 0);
  assert.equal(missed(figure), undefined);
});

test('nothing is fetched but what the access file leads to, whatever a token names', async () => {
  const world = await hostileWorld();
  await breachesIn(world, rows);
  assert.deepEqual(new Set(world.fetched.map((url) => new URL(url).host)), new Set(['login.acme.example']));
});

test('there are as many rows as are promised, each of a class that is shown to matter', () => {
  assert.ok(new Set(rows.map(({ of, what }) => `${of} ${what}`)).size >= 40);
  assert.deepEqual(new Set(rows.map(({ of }) => of)), new Set(Object.keys(without)));
});

describe('a row of each class lets somebody in with its check removed', () => {
  for (const [of, guards] of Object.entries(without))
    test(of, async () => {
      const world = await hostileWorld();
      const breaches = await breachesIn(
        world,
        rows.filter((row) => row.of === of),
        guards,
      );
      assert.ok(
        breaches.some(({ how }) => how === 'taken'),
        'nothing changed',
      );
    });
});
