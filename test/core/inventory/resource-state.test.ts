import { it } from 'node:test';
import type { Action, DeleteReason, Finding, WithholdCode } from '../../../src/core/action.ts';
import type { PlanOutcome, Subject } from '../../../src/core/inventory/plan-outcome.ts';
import { resourceStateOf, type StateInput } from '../../../src/core/inventory/resource-state.ts';
import type { Claim } from '../../../src/core/plan/claim.ts';
import { assertGolden } from '../../support/golden.ts';
import { at, scope, see, vpc, want } from '../plan/fixture.ts';

const desired = want('network', 'core', vpc());
const observed = see('network', 'vpc-1', vpc());
const seenAs = (state: 'ready' | 'pending' | 'deleting' | 'gone') => ({ ...observed, condition: { state } });
const claims: readonly Claim[] = [
  { by: 'us', address: desired.address },
  { by: 'other', estate: 'lab' },
  { by: 'foreign-store', store: 's2', address: desired.address },
  { by: 'nobody', copied: false },
];
const [us] = claims;

/** Possible resources, before any action on them. */
const subjects: Readonly<Record<string, Omit<Subject, 'key' | 'kind'>>> = {
  'wanted and absent': { desired },
  'wanted and standing': { desired, observed, ...(us && { by: us }) },
  ...Object.fromEntries(claims.map((by) => [`standing, of ${by.by}`, { observed, by }])),
  'standing, and nobody knows whose': { observed },
};

const about = { kind: 'network', address: desired.address, documents: [], cause: 'drift' } as const;
const changes = ['a', 'b', 'c', 'd', 'e', 'f'].map((field) => ({ field, from: 1, to: 2 }));
const reasons: readonly DeleteReason[] = [
  'removed',
  'changed',
  'scaled-down',
  'rogue',
  'pruned',
  'twin',
  'again',
  'withdrawn',
];
const actions: readonly Action[] = [
  ...(['drift', 'rollout', 'unknown'] as const).flatMap((cause): readonly Action[] => [
    { ...about, cause, verb: 'create', desired, because: 'absent' },
    { ...about, cause, verb: 'update', desired, observed, changes: changes.slice(0, 1), effect: 'in-place' },
    { ...about, cause, verb: 'replace', desired, observed, changes: changes.slice(0, 1) },
  ]),
  { ...about, verb: 'adopt', desired, observed, changes: [] },
  { ...about, verb: 'forget', id: 'vpc-1', because: 'gone' },
  ...reasons.map((because): Action => ({ ...about, verb: 'delete', observed, because })),
];
const named = (action: Action): string =>
  [action.verb, 'because' in action ? action.because : '', action.cause].filter((word) => word !== '').join(' ');

const told = { why: 'it says why', scope };
const entry = { ...told, address: desired.address, kind: 'network' } as const;
const found: readonly NonNullable<PlanOutcome['found']>[] = [
  { ...told, type: 'unmanaged', id: 'vpc-1', kind: 'network', name: 'core' },
  { ...told, type: 'orphan', id: 'vpc-1', kind: 'network', name: 'core' },
  { ...told, type: 'copied-mark', id: 'vpc-1', kind: 'network', name: 'core' },
  { ...told, type: 'unrecorded-mark', id: 'vpc-1', kind: 'network', name: 'core' },
  { ...entry, type: 'blocked', code: 'pending' },
  { ...entry, type: 'blocked', code: 'name-taken' },
  { ...entry, type: 'non-convergent', code: 'non-convergent' },
  { ...told, type: 'incomplete', kind: 'network', code: 'denied' },
  { ...told, type: 'wrong-account' },
  { ...told, type: 'foreign-store' },
];
/** Each of them: the compiler asks for those that come later. */
const codes: Readonly<Record<WithholdCode, true>> = {
  protect: true,
  limit: true,
  mode: true,
  retain: true,
  depends: true,
  'adopted-in-store-only': true,
  stale: true,
  'destructive-drift': true,
  backoff: true,
  quota: true,
  paused: true,
  wave: true,
  'rollout-stopped': true,
  'failed-launches': true,
  'lost-commits': true,
  'data-disks': true,
  policy: true,
  window: true,
  freeze: true,
  remediation: true,
  grace: true,
  patch: true,
  approvals: true,
  contested: true,
};
const heldAs = (code: WithholdCode): Extract<Finding, { type: 'withheld' }> => ({
  ...entry,
  type: 'withheld',
  action: 'update',
  code,
});
const failed: PlanOutcome['failed'] = {
  verb: 'update',
  address: at('network', 'core'),
  failure: { kind: 'terminal', code: 'Denied', message: 'not allowed.' },
};

/** One circumstance beside the thing itself. */
type Circumstance = Partial<Omit<StateInput, 'subject'>> & { readonly sight?: Partial<Subject> };
const [update] = actions.filter(({ verb }) => verb === 'update');
const deedOf = (action: Action | undefined, more: Partial<PlanOutcome> = {}): PlanOutcome => ({
  ...(action && { action }),
  ...more,
});
const gap: StateInput['gap'] = { kind: 'network', code: 'Throttled', reason: 'page 2 failed' };
const circumstances: Readonly<Record<string, Circumstance>> = {
  nothing: {},
  ...Object.fromEntries(actions.map((action) => [named(action), { outcome: deedOf(action) }])),
  ...Object.fromEntries(
    [4, 5, 6].map((many) => [
      `an update of ${many} fields`,
      {
        outcome: deedOf({
          ...about,
          verb: 'update',
          desired,
          observed,
          changes: changes.slice(0, many),
          effect: 'in-place',
        }),
      },
    ]),
  ),
  ...Object.fromEntries(
    found.map((one) => [`found ${one.type}${'code' in one ? ` ${one.code}` : ''}`, { outcome: { found: one } }]),
  ),
  'an update, and something found': { outcome: deedOf(update, { ...(found[0] && { found: found[0] }) }) },
  ...Object.fromEntries(
    // why: these are its keys
    (Object.keys(codes) as WithholdCode[]).map((code) => [
      `an update that is held: ${code}`,
      { outcome: deedOf(update, { held: heldAs(code) }) },
    ]),
  ),
  'a hold without an action': { outcome: { held: heldAs('paused') } },
  'a call that failed': { outcome: deedOf(update, { ...(failed && { failed }) }) },
  'a write was begun': { begun: true },
  'a write was begun, and another is due': { begun: true, outcome: deedOf(update) },
  'not all was listed': { gap },
  'not all was listed, and an update is due': { gap, outcome: deedOf(update) },
  'it stands twice': { contested: true },
  'it stands twice, and an update is due': { contested: true, outcome: deedOf(update) },
  ...Object.fromEntries((['beside', 'passing', 'uncontained'] as const).map((sort) => [sort, { sight: { sort } }])),
  'beside, and a write was begun': { sight: { sort: 'beside' }, begun: true, outcome: deedOf(update) },
  pending: { sight: { observed: seenAs('pending') } },
  'going, and still listed': { sight: { sort: 'passing', observed: seenAs('deleting') } },
  'gone, and still listed': { sight: { sort: 'passing', observed: seenAs('gone') } },
};

it('whatever a thing is and whatever happens, it stands as in golden/inventory/stand.txt', () => {
  const lines = Object.entries(subjects).flatMap(([name, one]) => [
    `# ${name}`,
    ...Object.entries(circumstances).map(([circumstance, { sight = {}, ...rest }]) => {
      const subject: Subject = { key: 'k', kind: 'network', ...one, ...sight };
      const { status, reason, code } = resourceStateOf({
        outcome: {},
        begun: false,
        gap: undefined,
        contested: false,
        ...rest,
        subject,
      });
      return `${circumstance} → ${status}: ${reason}${code === undefined ? '' : ` (${code})`}`;
    }),
    '',
  ]);
  assertGolden(lines.join('\n'), 'inventory/stand.txt');
});
