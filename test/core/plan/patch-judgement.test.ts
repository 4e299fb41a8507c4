import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action, Finding, ScopePlan } from '../../../src/core/action.ts';
import { destroysByPatch, judgePatch } from '../../../src/core/plan/patch-judgement.ts';
import { at, attributes, create, desired, observed, remove, replace, update } from '../../support/actions.ts';

const machine = desired('instance', 'web-0', attributes.instance());
const seen = observed('instance', 'i-1', attributes.instance());
const rule = desired('firewall-rule', 'core.https', attributes.rule('core.web'));
const subnet = desired('subnet', 'core.app', attributes.subnet());
const size = { field: 'machine.size', from: 'small', to: 'large' };
const fewer: Action = {
  ...{ kind: 'instance', address: at('instance', 'web-0'), documents: [], cause: 'rollout' },
  ...{ verb: 'delete', observed: seen, because: 'scaled-down' },
};
const planOf = (actions: readonly Action[], findings: readonly Finding[] = []): readonly ScopePlan[] => [
  { scope: 'memory/acme/here', actions, findings, calls: { predicted: 0 } },
];
const judged = (there: readonly Action[], back: readonly Action[], findings: readonly Finding[] = []) =>
  judgePatch({ there: planOf(there, findings), back: planOf(back) });
const adopted: Action = {
  ...{ kind: 'instance', address: machine.address, documents: [], cause: 'rollout' },
  ...{ verb: 'adopt', desired: machine, observed: seen, changes: [] },
};
const stops = update(machine, seen, [size], 'stops');
const blocked: Finding = {
  ...{ type: 'blocked', address: at('instance', 'web-0'), kind: 'instance', code: 'immutable' },
  ...{ why: 'it cannot be changed', scope: 'memory/acme/here' },
};

describe('a patch', () => {
  for (const [name, there, back] of [
    ['that stops a machine goes', [stops], [stops]],
    [
      'of a rule goes, whatever it makes or deletes',
      [create(rule), remove('core.https', { ...seen, kind: 'firewall-rule' })],
      [],
    ],
    ['with more machines goes', [create(machine)], [fewer]],
  ] as const)
    it(name, () => assert.deepEqual(judged(there, back).refusals, []));

  for (const [name, there, back, why] of [
    ['that replaces a machine', [replace(machine, seen)], [], /It would replace the instance/],
    ['that deletes a machine', [fewer], [], /It would delete the instance/],
    ['that makes a subnet', [create(subnet)], [], /It would create the subnet/],
    ['that adopts', [adopted], [], /It would adopt/],
    ['whose end replaces a machine', [stops], [replace(machine, seen)], /At its end it would replace/],
    ['whose end deletes what it did not make', [stops], [remove('web-0', seen)], /At its end it would delete/],
    ['that changes nothing', [], [], /changes nothing/],
  ] as const)
    it(`${name} is refused`, () => assert.match(judged(there, back).refusals.join('\n'), why));

  it('refuses a blocked one with the reason', () =>
    assert.deepEqual(judged([stops], [stops], [blocked]).refusals, ['it cannot be changed']));

  it('tells what its end costs', () =>
    assert.deepEqual(judged([stops], [stops, fewer]).atEnd, { deletes: 1, stops: 1 }));
});

describe('a worker holds what a patch destroys', () => {
  const patchOf = (...path: readonly string[]) => ({ kind: 'Instance', fields: [{ path, value: 'x' }] }) as const;
  const replaced = (field: string): Action => ({
    ...{ kind: 'instance', address: machine.address, documents: [], cause: 'rollout' },
    ...{ verb: 'replace', desired: machine, observed: seen, changes: [{ ...size, field }] },
  });

  it('a replace for its field, on whatever target', () => {
    assert.ok(destroysByPatch(replaced('machine.size'), patchOf('spec', 'size')));
    assert.ok(destroysByPatch(replaced('machine.size'), patchOf('spec', 'on', 'here', 'size')));
    assert.ok(destroysByPatch(replaced('disk.type'), patchOf('spec', 'disk')));
  });

  it('and nothing else', () => {
    assert.ok(!destroysByPatch(replaced('machine.image'), patchOf('spec', 'size')));
    assert.ok(!destroysByPatch(stops, patchOf('spec', 'size')));
    assert.ok(!destroysByPatch(remove('web-0', seen), patchOf('spec', 'replicas')));
    assert.ok(!destroysByPatch(replaced('match.ports'), { ...patchOf('spec', 'match'), kind: 'FirewallRule' }));
  });

  it('machines of fewer replicas', () => assert.ok(destroysByPatch(fewer, patchOf('spec', 'replicas'))));
});
