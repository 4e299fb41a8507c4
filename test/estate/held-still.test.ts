import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledScope } from '../../src/core/compile/compile.ts';
import type { PauseSubject } from '../../src/core/pause.ts';
import { heldStill } from '../../src/estate/active-spec.ts';
import { attributes, observed, remove } from '../support/actions.ts';

const scopeAt = (scope: string, target: string): CompiledScope => ({
  scope,
  targets: [],
  regions: [],
  wanted: { desired: [], documents: new Map(), additive: new Set(), mode: 'enforce', targets: [target] },
  launches: new Map(),
});
const scopes = [scopeAt('memory/acme/here', 'prod'), scopeAt('memory/acme/here-too', 'lab')];

/** No document speaks of it any more: whose it is, only its place can tell. */
const gone = (prefix: string) => ({
  ...remove('old', observed('network', 'vpc-9', attributes.network())),
  address: `${prefix}/network/old`,
});

const rows: readonly (readonly [name: string, of: PauseSubject, at: string, held: boolean])[] = [
  ['a target of its own scope', { by: 'target', name: 'prod' }, 'memory/acme/here', true],
  ['a target of another scope', { by: 'target', name: 'lab' }, 'memory/acme/here', false],
  ['a scope whose name begins alike', { by: 'target', name: 'prod' }, 'memory/acme/here-too', false],
  ['a place that no spec names: it may be of any target', { by: 'target', name: 'lab' }, 'memory/acme/there', true],
  ['the whole estate', { by: 'estate' }, 'memory/acme/there', true],
  ['its owner in the generation before', { by: 'owner', name: 'net' }, 'memory/acme/here', true],
  ['another owner', { by: 'owner', name: 'web' }, 'memory/acme/here', false],
];
const before = { owners: { 'memory/acme/here/network/old': 'net' } };

for (const [name, of, at, held] of rows)
  test(`${held ? 'held' : 'not held'} by a pause of ${name}`, () => {
    const policy = heldStill([{ what: 'all', of, reason: 'x', person: 'ann', until: 1 }], scopes, before);
    assert.equal(policy(gone(at))?.code, held ? 'paused' : undefined);
  });
