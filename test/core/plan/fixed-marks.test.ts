import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Allowed } from '../../../src/core/plan/plan-input.ts';
import { appliedAs, at, dialect as fixture, input, know, looked, ours, settle, vpc, want } from './fixture.ts';

/** A cloud where the mark of a network cannot be written later, and rules are known by name: as Google Cloud is. */
const dialect: Dialect = { ...fixture, holds: { ...fixture.holds, fixedMarks: ['network'] } };
const standing = ours('network', 'core', 'net-1', vpc());
const renamed = want('network', 'main', vpc(), { claim: { was: [at('network', 'core')] } });

const planned = (wanted: typeof renamed, knowledge: Knowledge) =>
  plan({ ...input([wanted], looked([standing]), { knowledge }), dialect });

describe('a renamed thing whose mark cannot say so', () => {
  test('moves in the store, by an update that changes nothing else', () => {
    const { actions } = planned(renamed, know([standing]));
    assert.deepEqual(
      actions.map((action) => [action.verb, action.address, 'changes' in action ? action.changes : []]),
      [['update', renamed.address, [{ field: 'address', from: at('network', 'core'), to: renamed.address }]]],
    );
  });
  test('has moved for good: nothing more is planned, with its former name or without', () => {
    const knowledge = know([], { settled: new Map([['net-1', settle('network', renamed.address)]]) });
    const { claim: _, ...terms } = renamed.terms;
    for (const wanted of [renamed, { ...renamed, terms }])
      assert.deepEqual(planned(wanted, knowledge), { ...planned(wanted, knowledge), actions: [], findings: [] });
  });
});

test('what stops a machine on its cloud only is a stop there: one of a document at a time, and counted', () => {
  const attributes = {
    placement: { subnet: 'sub', publicIp: false },
    machine: { image: 'i', size: 's', identity: 'web', power: 'running' },
    labels: {},
  } as const;
  const was = want('instance', 'web-0', attributes);
  const web = want('instance', 'web-0', { ...attributes, machine: { ...attributes.machine, identity: 'db' } });
  const seen = ours('instance', 'web-0', 'i-1', attributes);
  const effectWith = (machineEffects: NonNullable<Dialect['holds']['machineEffects']>) => {
    const here = { ...dialect, holds: { ...dialect.holds, machineEffects } };
    const [action] = plan({
      ...input([web], looked([seen]), { knowledge: appliedAs([seen], [was]) }),
      dialect: here,
    }).actions;
    return action?.verb === 'update' ? action.effect : action?.verb;
  };
  assert.deepEqual(
    [effectWith({}), effectWith({ 'machine.identity': 'stops' }), effectWith({ 'machine.identity': 'replace' })],
    ['in-place', 'stops', 'replace'],
  );
});

test('a machine that is still changing is not replaced', () => {
  const attributes = {
    placement: { subnet: 'sub', publicIp: false },
    machine: { image: 'i', size: 's', power: 'running' },
    labels: {},
  } as const;
  const was = want('instance', 'web-0', attributes);
  const web = want('instance', 'web-0', { ...attributes, machine: { ...attributes.machine, image: 'other' } });
  const seen = ours('instance', 'web-0', 'i-1', attributes);
  const planned = (state: 'ready' | 'pending') => {
    const { actions, findings } = plan(
      input([web], looked([{ ...seen, condition: { state } }]), { knowledge: appliedAs([seen], [was]) }),
    );
    return [actions.map(({ verb }) => verb), findings.map((finding) => 'code' in finding && finding.code)];
  };
  assert.deepEqual(planned('ready'), [['replace'], []]);
  assert.deepEqual(planned('pending'), [[], ['pending']]);
});

describe('a rule that no container holds, and that its document does not want any more', () => {
  const net = want('network', 'core', vpc());
  const match = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['tag:lb'] } as const;
  const attributes = { network: net.address, match, description: '' };
  const old = ours('firewall-rule', 'core.web-1a', 'fw-1', { ...attributes, network: 'net-1' });
  const document = at('firewall-rule', 'core.web');
  const given = (documents: readonly string[]) => {
    const known = know([standing, old]);
    const applied = new Map([
      [at('firewall-rule', 'core.web-1a'), { attributes, generation: 1, documents: [document] }],
    ]);
    const base = input([net], looked([standing, old]), { knowledge: { ...known, applied } });
    const said: Allowed = { mode: 'plan', protect: false, targets: ['prod'] };
    const allowed = documents.map((address) => [address, said] as const);
    return plan({
      ...base,
      wanted: { ...base.wanted, documents: new Map([...base.wanted.documents, ...allowed]) },
      dialect,
    });
  };
  test('goes while the document stands, whatever its policy: its successor has taken its place', () => {
    const [action] = given([document]).actions;
    assert.deepEqual([action?.verb, action?.verb === 'delete' && action.because], ['delete', 'changed']);
  });
  test('stays with the policy of the document that is gone', () => {
    const { actions, findings } = given([]);
    assert.deepEqual([actions, findings.map(({ type }) => type)], [[], ['orphan']]);
  });
});
