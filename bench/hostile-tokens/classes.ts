import { tokenRules } from '../../src/http/auth/api-tokens.ts';
import { type Claims, type JwtGuards, jwtGuards } from '../../src/http/auth/verify-jwt.ts';
import type { Guards } from './world.ts';

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
  // why: without the check of types nobody knows what it is
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
