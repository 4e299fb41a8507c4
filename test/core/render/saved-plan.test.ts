import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSavedPlan, type SavedPlan } from '../../../src/core/render/saved-plan.ts';

const verbs = ['create', 'update', 'replace', 'delete', 'adopt', 'forget'] as const;
const saved: SavedPlan = {
  format: 'setpoint-plan/1',
  targets: ['aws', 'gcp'],
  overlay: 'night',
  plan: { estate: 'acme', digest: 'd', actions: verbs.map((verb) => ({ address: `a/${verb}`, verb, digest: 'e' })) },
};
const whyOf = (value: unknown): string => {
  const read = readSavedPlan(value);
  return read.ok ? 'ok' : read.why;
};

test('a saved plan is read whole, with every verb, and without what is for people', () => {
  assert.deepEqual(readSavedPlan(saved), { ok: true, saved });
  assert.deepEqual(readSavedPlan({ ...saved, text: 'Plan: 1 to add' }), { ok: true, saved });
  const { overlay: _, ...plain } = saved;
  assert.deepEqual(readSavedPlan(plain), { ok: true, saved: plain });
});

/** Each field with a wrong value: the sentence names the field, and the expected value. */
const [action] = saved.plan.actions;
const withPlan = (more: object) => ({ ...saved, plan: { ...saved.plan, ...more } });
const rows: readonly (readonly [wrong: (value: unknown) => unknown, why: string])[] = [
  [(value) => value, 'In the file, expected one JSON object.'],
  [(format) => ({ ...saved, format }), 'At format, expected "setpoint-plan/1".'],
  [(targets) => ({ ...saved, targets }), 'At targets, expected a list of targets.'],
  [(one) => ({ ...saved, targets: ['aws', one] }), 'At targets.1, expected the name of a target.'],
  [(plan) => ({ ...saved, plan }), 'At plan, expected a plan.'],
  [(estate) => withPlan({ estate }), 'At plan.estate, expected the name of an estate.'],
  [(digest) => withPlan({ digest }), 'At plan.digest, expected a digest.'],
  [(actions) => withPlan({ actions }), 'At plan.actions, expected a list of actions.'],
  [(one) => withPlan({ actions: [action, one] }), 'At plan.actions.1, expected an action.'],
  [(address) => withPlan({ actions: [{ ...action, address }] }), 'At plan.actions.0.address, expected an address.'],
  [(verb) => withPlan({ actions: [{ ...action, verb }] }), 'At plan.actions.0.verb, expected a verb.'],
  [(digest) => withPlan({ actions: [{ ...action, digest }] }), 'At plan.actions.0.digest, expected a digest.'],
];
for (const [wrong, why] of rows)
  test(why, () => {
    for (const value of [undefined, null, 7, true]) assert.equal(whyOf(wrong(value)), why);
  });
test('an overlay has a name, where there is one', () => {
  for (const overlay of [null, 7, {}])
    assert.equal(whyOf({ ...saved, overlay }), 'At overlay, expected the name of an overlay.');
});
test('another format, and a verb that nobody knows', () => {
  assert.equal(whyOf({ ...saved, format: 'setpoint-plan/2' }), 'At format, expected "setpoint-plan/1".');
  const unknown = withPlan({ actions: [{ ...action, verb: 'destroy' }] });
  assert.equal(whyOf(unknown), 'At plan.actions.0.verb, expected a verb.');
});
