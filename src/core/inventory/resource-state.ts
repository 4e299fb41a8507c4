import type { Action, Cause, DeleteReason, Finding, WithholdCode } from '../action.ts';
import type { FieldChange } from '../diff.ts';
import type { Gap } from '../observed.ts';
import { listed, withFullStop, withoutFullStop } from '../text.ts';
import type { PlanOutcome, Subject } from './plan-outcome.ts';
import type { Status } from './row.ts';

/** The state of a subject: see the table in row.ts. */
interface ResourceState {
  readonly status: Status;
  readonly reason: string;
  readonly code?: string;
}

/** A subject, what is to be done about it, and what the rest of the scope has to do with it. */
export interface StateInput {
  readonly subject: Subject;
  readonly outcome: PlanOutcome;
  /** A write to it was begun, and its outcome is unknown. */
  readonly begun: boolean;
  /** The gap that kept its kind from being listed completely. */
  readonly gap: Gap | undefined;
  /** Another object has its address, and is to go first. */
  readonly contested: boolean;
}

type StateRule = (one: StateInput) => ResourceState | undefined;

/** The first that has something to say; the rows of that table in its order. */
export function resourceStateOf(one: StateInput): ResourceState {
  for (const judge of stateRules) {
    const stand = judge(one);
    if (stand !== undefined) return stand;
  }
  return { status: 'InSync', reason: 'As it is asked for.' };
}

const paused: StateRule = ({ outcome: { action, held } }) =>
  action && held?.code === 'paused' ? withheld('Paused', action, held) : undefined;

const failed: StateRule = ({ outcome: { failed: one, found } }) => {
  if (one !== undefined) {
    const { code, message } = one.failure;
    const why = `Its ${one.verb} failed: ${withoutFullStop(sentence(message))} (${code})`;
    return {
      status: 'Failed',
      reason: `${why}. The next reconcile tries again. A person must fix the cause of a refusal.`,
      code,
    };
  }
  return found?.type === 'non-convergent' ? stateOfFinding('Failed', found) : undefined;
};

const settling: StateRule = ({ subject: { sort, by, observed }, outcome: { action, found }, begun }) => {
  if (sort === 'passing') {
    if (by?.by !== 'us') return undefined;
    const gone = observed?.condition.state === 'gone' ? 'It is gone' : 'It is being deleted';
    return { status: 'Settling', reason: `${gone}, and the cloud lists it still. There is nothing to do.` };
  }
  if (found?.type === 'blocked' && found.code === 'pending') return stateOfFinding('Settling', found);
  if (by?.by !== 'us' || sort === 'beside') return undefined;
  if (begun && action !== undefined)
    return {
      status: 'Settling',
      reason: `${sayOf(action)} An earlier write was begun, and its answer is not known yet.`,
    };
  if (observed?.condition.state === 'pending')
    return { status: 'Settling', reason: 'It is there, and not ready yet. Its cloud is at work; look again later.' };
  return undefined;
};

const blocked: StateRule = ({ subject, outcome: { action, held, found }, gap, contested }) => {
  if (subject.sort === 'uncontained' && subject.by?.by === 'us')
    return {
      status: 'Blocked',
      reason: 'What it is in was not listed completely. Nothing is concluded from it.',
      code: 'not-observed',
    };
  if (action && found) return { status: 'Blocked', reason: heldText(action, found.why), code: found.type };
  if (found?.type === 'blocked') return stateOfFinding('Blocked', found);
  if (action && held && blocking[held.code]) return withheld('Blocked', action, held);
  if (action === undefined && contested)
    return {
      status: 'Blocked',
      reason: 'It stands twice. It is compared once the other one is gone.',
      code: 'duplicate-claim',
    };
  if (action === undefined && gap !== undefined && subject.by?.by === 'us')
    return {
      status: 'Blocked',
      reason:
        `${sentence(subject.kind)} was not listed completely: ${sentence(gap.reason)} Nothing is concluded from it.`.replace(
          '. was',
          ' was',
        ),
      code: 'not-observed',
    };
  return undefined;
};

/**
 * A mode waits for a person, as approvals do, a wave for its turn, and a window for its time. Changes that these hold are still on their
 * way.
 */
const blocking: Readonly<Record<WithholdCode, boolean>> = {
  protect: true,
  limit: true,
  mode: false,
  retain: true,
  depends: true,
  'adopted-in-store-only': true,
  stale: true,
  'destructive-drift': true,
  backoff: true,
  quota: true,
  paused: false,
  wave: false,
  'rollout-stopped': true,
  'failed-launches': true,
  'lost-commits': true,
  'data-disks': true,
  policy: true,
  window: false,
  freeze: false,
  remediation: false,
  grace: false,
  patch: true,
  approvals: false,
  contested: false,
};

const missing: StateRule = ({ outcome: { action, held } }) =>
  action?.verb === 'create' && action.cause === 'drift' ? acted('Missing', action, held) : undefined;

const pending: StateRule = ({ subject: { desired, observed, by }, outcome: { action, held, found } }) => {
  if (action !== undefined) return action.cause === 'drift' ? undefined : acted('Pending', action, held);
  if (desired !== undefined && by?.by === 'nobody' && found === undefined)
    return { status: 'Pending', reason: 'It is adopted with its container.' };
  if (desired === undefined || observed !== undefined) return undefined;
  return { status: 'Pending', reason: 'It is created with its container, which does not exist yet.' };
};

const drifted: StateRule = ({ outcome: { action, held } }) => (action ? acted('Drifted', action, held) : undefined);

const orphan: StateRule = ({ subject: { desired, by }, outcome: { found } }) => {
  if (desired !== undefined || by?.by !== 'us' || found?.type === 'unmanaged') return undefined;
  if (found?.type === 'orphan') return stateOfFinding('Orphan', found);
  return { status: 'Orphan', reason: 'It is ours and stays with its container, which no document asks for.' };
};

const unmanaged: StateRule = ({ subject: { desired, by, sort }, outcome: { found } }) => {
  if (desired !== undefined) return undefined;
  if (found !== undefined) return { status: 'Unmanaged', reason: sentence(found.why), ...codeOf(found) };
  if (by?.by === 'other') return { status: 'Unmanaged', reason: `It bears the mark of the estate ${by.estate}.` };
  if (by?.by === 'foreign-store')
    return { status: 'Unmanaged', reason: `It bears the mark of another store of this estate, ${by.store}.` };
  if (sort === 'uncontained')
    return { status: 'Unmanaged', reason: 'The last observation did not list its container, so its owner is unknown.' };
  return { status: 'Unmanaged', reason: 'No estate claims it.' };
};

const stateRules: readonly StateRule[] = [
  paused,
  failed,
  settling,
  blocked,
  missing,
  pending,
  drifted,
  orphan,
  unmanaged,
];

const acted = (status: Status, action: Action, held: PlanOutcome['held']): ResourceState =>
  held === undefined ? { status, reason: sayOf(action) } : withheld(status, action, held);

const withheld = (status: Status, action: Action, { code, why }: NonNullable<PlanOutcome['held']>): ResourceState => ({
  status,
  reason: heldText(action, why),
  code,
});

const stateOfFinding = (status: Status, finding: Finding): ResourceState => ({
  status,
  reason: sentence(finding.why),
  ...codeOf(finding),
});

const codeOf = (finding: Finding): { readonly code?: string } => {
  if ('code' in finding) return { code: finding.code };
  return finding.type === 'copied-mark' || finding.type === 'unrecorded-mark' ? { code: finding.type } : {};
};

/** The action, its reason, and the next step: for people. */
const sayOf = (action: Action): string => `${whyText(action)}. ${nextText(action)}`;

/** The same of a held resource: its reason names the next step. */
const heldText = (action: Action, why: string): string => `${whyText(action)}. ${sentence(why)}`;

/** With a capital, and a full stop. */
export function sentence(text: string): string {
  const said = text.trim();
  const whole = /["…]$/.test(said) ? said : withFullStop(said);
  return `${whole.slice(0, 1).toUpperCase()}${whole.slice(1)}`;
}

function whyText(action: Action): string {
  switch (action.verb) {
    case 'create':
      return action.cause === 'drift'
        ? 'It matched its document and is gone'
        : 'A document asks for it, and it does not exist yet';
    case 'update':
      return `${moved(action.cause)}: ${fieldsOf(action.changes)}`;
    case 'replace':
      return `${moved(action.cause)}: ${fieldsOf(action.changes)}, which takes a new one`;
    case 'delete':
      return deleteWords[action.because];
    case 'adopt':
      return 'A document adopts it';
    case 'forget':
      return 'It is gone';
  }
}

const moved = (cause: Cause): string => (cause === 'drift' ? 'It was changed on the cloud' : 'Its document changed');

const deleteWords: Readonly<Record<DeleteReason, string>> = {
  removed: 'Its document is gone',
  changed: 'Its documents no longer state it',
  'scaled-down': 'Its document asks for fewer replicas',
  rogue: 'No document states this rule',
  pruned: 'A person chose it to be deleted',
  again: 'It was deleted, and the cloud shows it again',
  withdrawn: 'It was to replace a machine that stays',
  twin: 'A lost answer of the cloud made it twice, and this one holds nothing',
};

/** So many are named. */
const mostFields = 4;

const fieldsOf = (changes: readonly FieldChange[]): string =>
  listed(
    changes.map(({ field }) => field),
    mostFields,
  );

function nextText({ verb, cause }: Action): string {
  const does: Readonly<Record<Action['verb'], string>> = {
    create: cause === 'drift' ? 'makes it again' : 'makes it',
    update: cause === 'drift' ? 'sets it back' : 'changes it',
    replace: 'replaces it',
    delete: 'deletes it',
    adopt: 'takes it over',
    forget: 'drops its record',
  };
  return `The next reconcile ${does[verb]}.`;
}
