import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { action, DecodeError, desired } from '../../src/cli/api-client/decode.ts';
import type { Action } from '../../src/core/action.ts';
import type { Observed } from '../../src/core/observed.ts';
import { actionJson, deleteReasons } from '../../src/core/render/plan-json.ts';

const termsOf = (terms: Readonly<Record<string, unknown>>): unknown =>
  desired({ kind: 'network', terms }, 'desired').terms;

describe('a desired resource in an answer of the API', () => {
  for (const [requirement, presence] of [
    ['required', 'stated'],
    ['provider-default', 'implied'],
    ['optional', 'tolerated'],
  ] as const)
    it(`${requirement} is read`, () => assert.deepEqual(termsOf({ requirement }), { presence }));

  it('has its previous addresses', () =>
    assert.deepEqual(termsOf({ claim: { adopt: 'vpc-1', previousAddresses: ['a'] } }), {
      claim: { adopt: 'vpc-1', was: ['a'] },
    }));

  it('stays without both where it has neither', () => assert.deepEqual(termsOf({ mode: 'plan' }), { mode: 'plan' }));

  it('is refused with a requirement that this version does not know', () =>
    assert.throws(() => termsOf({ requirement: 'sometimes' }), DecodeError));
});

describe('a delete in an answer of the API', () => {
  const observed: Observed<'network'> = {
    ...{ kind: 'network' as const, id: 'vpc-1', name: 'core', attributes: { cidr: '10.0.0.0/16', labels: {} } },
    ...{ signs: { slot: 'aws/1/eu-1/network/core', first: 3 }, condition: { state: 'ready' as const, parts: [] } },
  };
  const about = { kind: 'network', address: 'aws/1/eu-1/network/core', documents: [], cause: 'drift' } as const;
  const removal = { verb: 'delete', ...about, observed, because: 'twin' } as const satisfies Action;
  const sent = (one: Action): Readonly<Record<string, unknown>> =>
    JSON.parse(JSON.stringify(actionJson(one, undefined)));

  for (const because of ['removed', 'rogue', 'twin', 'again'] as const)
    it(`${deleteReasons[because]} is read`, () =>
      assert.deepEqual(action(sent({ ...removal, because }), 'action'), { ...removal, because }));

  for (const reason of ['twin', 'sometimes', undefined])
    it(`is refused with the reason ${reason}`, () =>
      assert.throws(() => action({ ...sent(removal), reason }, 'action'), DecodeError));

  it('has no word of version 0.1', () => {
    const text = JSON.stringify(sent(removal));
    assert.ok(!/twin|slot|"first"/.test(text) && /"duplicate"/.test(text), text);
    assert.match(text, /"uniqueName":"aws.*"firstOrdinal":3/);
  });
});
