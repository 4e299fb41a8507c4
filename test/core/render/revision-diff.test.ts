import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { noEffect } from '../../../src/core/effect/effect.ts';
import { diffJson } from '../../../src/core/render/revision-diff.ts';
import { create, desired, observed, attributes as of, remove } from '../../support/actions.ts';

const web = desired('instance', 'web-0', of.instance());
const old = observed('instance', 'i-1', of.instance());
const { kind, address, documents } = web;
const changes = [{ field: 'machine.power', from: 'running', to: 'stopped' }];
const update: Action = {
  verb: 'update',
  kind: 'instance',
  address,
  documents,
  cause: 'rollout',
  desired: web,
  observed: old,
  changes,
  effect: 'stops',
};

const changesOf = (actions: readonly Action[]): unknown =>
  Reflect.get(
    diffJson({
      from: 'a',
      to: 'b',
      plans: [{ scope: 'memory/acme/here', actions, findings: [], calls: { predicted: 1 } }],
      left: [],
      moved: [],
      effect: noEffect,
      looserGuards: [],
    }),
    'changes',
  );

test('a change says what it does, to what, and how that was and will be; and nothing that it has not', () => {
  const scope = 'memory/acme/here';
  assert.deepEqual(changesOf([create(web)]), [
    { scope, verb: 'create', kind, address, documents, will: web.attributes },
  ]);
  assert.deepEqual(changesOf([update]), [
    {
      scope,
      verb: 'update',
      kind,
      address,
      documents,
      effect: 'stops',
      changes,
      was: old.attributes,
      will: web.attributes,
    },
  ]);
  const gone = remove('web-0', old);
  assert.deepEqual(changesOf([gone]), [
    {
      scope,
      verb: 'delete',
      kind,
      address: gone.address,
      documents: gone.documents,
      ...('because' in gone ? { because: gone.because } : {}),
      was: old.attributes,
    },
  ]);
});
