import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cause } from '../../../src/core/action.ts';
import type { PauseDraft } from '../../../src/core/pause.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput, Policy, Wanted } from '../../../src/core/plan/plan-input.ts';
import { pausePolicy } from '../../../src/core/plan/policies.ts';
import { appliedAs, at, input, know, looked, ours, see, settle, vpc, want } from './fixture.ts';
import { summary } from './summary.ts';

const until = Date.parse('2027-01-31T17:30:00Z');
const pause = (of: PauseDraft['of'], what: PauseDraft['what'] = 'all', more: Partial<PauseDraft> = {}): PauseDraft => ({
  what,
  of,
  reason: 'change freeze',
  person: 'ann',
  until,
  ...more,
});

/** The network `core` of team-net for the target prod, and `lab` of nobody for the target lab: both labels to be changed. */
const core = want('network', 'core', vpc('10.0.0.0/16', { tier: 'new' }));
const lab = want('network', 'lab', vpc('10.1.0.0/16', { tier: 'new' }));
const seen = [
  ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { tier: 'old' })),
  ours('network', 'lab', 'vpc-2', vpc('10.1.0.0/16', { tier: 'old' })),
  ours('network', 'gone', 'vpc-3', vpc()),
];
const wanted: Wanted = {
  ...input([core, lab], looked(seen)).wanted,
  documents: new Map([
    [core.address, { mode: 'plan', protect: false, owner: 'team-net', targets: ['prod'] }],
    [lab.address, { mode: 'plan', protect: false, targets: ['lab'] }],
  ]),
  targets: ['prod', 'lab'],
};
/** The document of `gone` is removed; what it made goes with it. */
const settled = new Map([
  ...know(seen).settled,
  ['vpc-3', settle('network', at('network', 'gone'), { deletionPolicy: 'delete' })] as const,
]);
/** `drift`: what is wanted was applied already; `rollout`: it was not; `unknown`: there is no store. */
const given = (cause: Cause): PlanInput => {
  const applied = new Map(
    cause === 'drift' ? [core, lab].map((one) => [one.address, { attributes: one.attributes, generation: 1 }]) : [],
  );
  const { store, ...storeless } = know(seen, { settled, applied });
  const knowledge = cause === 'unknown' ? storeless : { ...storeless, store: store ?? '' };
  return { ...input([core, lab], looked(seen), { knowledge }), wanted };
};
const planned = (pauses: readonly PauseDraft[], cause: Cause): readonly string[] =>
  summary(plan({ ...given(cause), choices: { policies: [pausePolicy(pauses, wanted)] } }));

const [coreHeld, labHeld, goneHeld] = ['core', 'lab', 'gone'].map((name) => `withheld network/${name}: paused`);
const [coreGoes, labGoes, goneGoes] = ['update network/core', 'update network/lab', 'delete network/gone (removed)'];

const rows: readonly { name: string; pauses: readonly PauseDraft[]; cause?: Cause; want: readonly unknown[] }[] = [
  { name: 'nothing is paused: all goes on', pauses: [], want: [coreGoes, labGoes, goneGoes] },
  {
    name: 'the estate is paused: nothing moves, what is removed included',
    pauses: [pause({ by: 'estate' })],
    want: [coreHeld, goneHeld, labHeld],
  },
  {
    name: 'rollout is paused: drift is healed, what a spec changed waits',
    pauses: [pause({ by: 'estate' }, 'rollout')],
    cause: 'drift',
    want: [coreGoes, labGoes, goneHeld],
  },
  {
    name: 'healing is paused: drift stays, what a spec changed goes on',
    pauses: [pause({ by: 'estate' }, 'healing')],
    cause: 'drift',
    want: [goneGoes, coreHeld, labHeld],
  },
  {
    name: 'healing is paused and nothing is drift: all goes on',
    pauses: [pause({ by: 'estate' }, 'healing')],
    want: [coreGoes, labGoes, goneGoes],
  },
  {
    name: 'without a store nobody knows the cause: it is held as a rollout',
    pauses: [pause({ by: 'estate' }, 'rollout')],
    cause: 'unknown',
    want: [coreHeld, goneHeld, labHeld],
  },
  {
    name: 'an address is paused: that one waits, the rest goes on',
    pauses: [pause({ by: 'address', name: core.address })],
    want: [labGoes, goneGoes, coreHeld],
  },
  {
    name: 'an owner is paused: the documents of that owner wait, those of nobody and of no document go on',
    pauses: [pause({ by: 'owner', name: 'team-net' })],
    want: [labGoes, goneGoes, coreHeld],
  },
  {
    name: 'a target is paused: its documents wait, and what no document speaks of any more',
    pauses: [pause({ by: 'target', name: 'lab' })],
    want: [coreGoes, goneHeld, labHeld],
  },
  {
    name: 'a target of another scope is paused: all goes on',
    pauses: [pause({ by: 'target', name: 'elsewhere' })],
    want: [coreGoes, labGoes, goneGoes],
  },
  {
    name: 'two pauses hold what either of them holds',
    pauses: [pause({ by: 'address', name: core.address }), pause({ by: 'target', name: 'lab' }, 'rollout')],
    want: [coreHeld, goneHeld, labHeld],
  },
];

describe('pause', () => {
  for (const { name, pauses, cause = 'rollout', want: expected } of rows)
    it(name, () => assert.deepEqual(planned(pauses, cause), expected));

  it('of an owner holds what was theirs, by the generation before and by the store', () => {
    const pauses = [pause({ by: 'owner', name: 'team-old' })];
    const told = (policy: Policy, owners: readonly string[]) => {
      const kept = settle('network', at('network', 'gone'), { deletionPolicy: 'delete', owners });
      const knowledge = { ...know(seen), settled: new Map([...settled, ['vpc-3', kept]]) };
      const held = plan({ ...given('rollout'), knowledge, choices: { policies: [policy] } });
      return summary(held).filter((line) => line.includes('gone'));
    };
    const before = { [at('network', 'gone')]: 'team-old', [core.address]: 'team-old' };
    assert.deepEqual(told(pausePolicy(pauses, wanted), ['team-net']), [goneGoes]);
    assert.deepEqual(told(pausePolicy(pauses, wanted), ['team-net', 'team-old']), [goneHeld]);
    assert.deepEqual(told(pausePolicy(pauses, wanted, before), []), [goneHeld]);
    const all = summary(plan({ ...given('rollout'), choices: { policies: [pausePolicy(pauses, wanted, before)] } }));
    assert.ok(all.includes(coreGoes ?? ''), 'what it stands for now is by its document');
  });

  it('of a document holds what its document makes, the replicas that are too many included', () => {
    const machine = { placement: { subnet: 's', publicIp: false }, labels: {} } as const;
    const small = { ...machine, machine: { image: 'a', size: 's', power: 'running' } } as const;
    const large = { ...machine, machine: { image: 'b', size: 's', power: 'running' } } as const;
    const web = want('instance', 'web-0', large);
    const standing = [ours('instance', 'web-0', 'i-0', small), ours('instance', 'web-1', 'i-1', small)];
    const applied = appliedAs(standing, [want('instance', 'web-0', small)]);
    const base = input([web], looked(standing), { knowledge: applied });
    const held = pausePolicy([pause({ by: 'address', name: at('instance', 'web') })], base.wanted);
    assert.deepEqual(
      summary(plan({ ...base, choices: { policies: [held] } })).filter((line) => line.includes('paused')),
      ['withheld instance/web-0: paused', 'withheld instance/web-1: paused'],
    );
  });

  it('does not keep the store from forgetting what is gone', () => {
    const knowledge = know([], { settled: new Map([['vpc-9', settle('network', at('network', 'x'))]]) });
    const base = input([], looked([see('network', 'vpc-8', vpc())]), { knowledge });
    const held = pausePolicy([pause({ by: 'estate' })], base.wanted);
    assert.deepEqual(summary(plan({ ...base, choices: { policies: [held] } })), [
      'forget network/x (gone)',
      'unmanaged vpc-8',
    ]);
  });

  it('says who, why and until when: of several, by the one that ends last', () => {
    const longer = pause({ by: 'owner', name: 'team-net' }, 'rollout', { until: until + 3_600_000, person: 'bob' });
    const made = plan({
      ...given('rollout'),
      choices: { policies: [pausePolicy([pause({ by: 'estate' }), longer], wanted)] },
    });
    assert.deepEqual(
      made.findings.map(({ why }) => why),
      [
        'rollout paused for owner team-net by bob until 2027-01-31 18:30 UTC: change freeze. It goes on then; for earlier, setpoint status has the line to paste.',
        'paused for the estate by ann until 2027-01-31 17:30 UTC: change freeze. It goes on then; for earlier, setpoint status has the line to paste.',
        'paused for the estate by ann until 2027-01-31 17:30 UTC: change freeze. It goes on then; for earlier, setpoint status has the line to paste.',
      ],
    );
  });
});
