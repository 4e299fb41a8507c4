import type { PendingApprovals, Target } from '../api.d.ts';
import { spanText } from '../time.ts';

/** A reason for which not all is well; `filter` is the part of the inventory with its resources. */
export interface Concern {
  readonly weight: 'wrong' | 'attention';
  readonly text: string;
  readonly filter?: Readonly<Record<string, string>>;
}

export interface Verdict {
  readonly tone: 'well' | 'wrong' | 'attention' | 'unknown';
  readonly text: string;
  /** Most urgent first. */
  readonly concerns: readonly Concern[];
}

type Facts = Pick<Target, 'name' | 'counts' | 'observed' | 'everySeconds'> & Pick<Partial<Target>, 'held'>;
type Pending = Pick<PendingApprovals, 'actions'>;

/** An observation is late after three intervals: one may run, and one may fail. */
const lateAfter = 3;

/**
 * The one line at the top: is all well, and if not, the first thing to look at. In this order:
 *
 *   1  a person must act on a failure        5  drift and missing resources
 *   2  a scope is in quarantine              6  something blocks an action
 *   3  a target is not observed, or late     7  actions wait for an approval
 *   4  a listing failed: a gap               8  orphans, pauses
 *
 * Pending and Settling are work under way, and Unmanaged is no fault: none of these is a concern. All is well only if the
 * approvals are known (`pending`) and the newest requests succeeded (`isCurrent`).
 */
export function verdictOf(targets: readonly Facts[], pending: Pending | undefined, isCurrent: boolean): Verdict {
  if (targets.length === 0)
    return { tone: 'unknown', text: 'No targets yet: the active specs name none that you may see.', concerns: [] };
  const count = counting(targets);
  const concerns = [
    ...ofStatus('Failed', 'wrong', count, (n) => `${resources(n)} failed, and a person must act`),
    ...targets.flatMap(quarantine),
    ...targets.flatMap(late),
    ...targets.flatMap(gaps),
    ...ofStatus('Missing', 'wrong', count, (n) => `Somebody removed ${resources(n)} outside Setpoint`),
    ...ofStatus('Drifted', 'attention', count, (n) => `${resources(n)} drifted`),
    ...targets.flatMap(stopped),
    ...ofStatus('Blocked', 'attention', count, (n) => `${resources(n)} ${n === 1 ? 'is' : 'are'} blocked`),
    ...waiting(pending),
    ...ofStatus('Orphan', 'attention', count, (n) =>
      n === 1 ? '1 orphan: no document asks for it' : `${n} orphans: no document asks for them`,
    ),
    ...ofStatus('Paused', 'attention', count, (n) => `A pause holds ${resources(n)}`),
  ];
  const [first] = concerns;
  if (first === undefined)
    return pending !== undefined && isCurrent ? allWell(targets, count) : unsure(targets, pending);
  return {
    tone: concerns.some(({ weight }) => weight === 'wrong') ? 'wrong' : 'attention',
    text: first.text,
    concerns,
  };
}

type Count = (status: Status) => number;
type Status = Extract<keyof Target['counts'], string>;

/** Several targets can share a scope, and a resource can have several targets: then a sum counts it twice. */
const counting =
  (targets: readonly Facts[]): Count =>
  (status) =>
    targets.reduce((sum, { counts }) => sum + (counts[status] ?? 0), 0);

function ofStatus(
  status: Status,
  weight: Concern['weight'],
  count: Count,
  text: (count: number) => string,
): readonly Concern[] {
  const found = count(status);
  return found === 0 ? [] : [{ weight, text: text(found), filter: { status } }];
}

const resources = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`;

const quarantine = ({ name, held }: Facts): readonly Concern[] =>
  held?.quarantine === undefined
    ? []
    : [{ weight: 'wrong', text: `${name} is in quarantine: its reconciles keep failing`, filter: { target: name } }];

const stopped = ({ name, held }: Facts): readonly Concern[] =>
  (held?.stoppedRollouts ?? []).slice(0, 1).map(({ reason }) => {
    return { weight: 'attention', text: `A rollout on ${name} stopped: ${reason}`, filter: { target: name } };
  });

function late({ name, observed, everySeconds }: Facts): readonly Concern[] {
  if (observed.ageSeconds === undefined)
    return [{ weight: 'wrong', text: `Nobody has observed ${name} yet`, filter: { target: name } }];
  if (observed.ageSeconds <= lateAfter * everySeconds) return [];
  const text = `${name} was last observed ${spanText(observed.ageSeconds)} ago, and its interval is ${spanText(everySeconds)}`;
  return [{ weight: 'wrong', text, filter: { target: name } }];
}

function gaps({ name, observed }: Facts): readonly Concern[] {
  const [gap] = observed.gaps;
  if (gap === undefined) return [];
  return [{ weight: 'wrong', text: `Setpoint could not list ${gap.kind} of ${name}`, filter: { target: name } }];
}

function waiting(pending: Pending | undefined): readonly Concern[] {
  const count = pending?.actions.length ?? 0;
  if (count === 0) return [];
  return [{ weight: 'attention', text: `${count} ${count === 1 ? 'action waits' : 'actions wait'} for an approval` }];
}

function unsure(targets: readonly Facts[], pending: Pending | undefined): Verdict {
  const where = targetsText(targets);
  const text =
    pending === undefined
      ? `No concern on ${where} so far; pending approvals are not known`
      : `No concern on ${where} at the last answer; the newest request failed`;
  return { tone: 'unknown', text, concerns: [] };
}

const targetsText = ({ length }: readonly Facts[]): string => (length === 1 ? '1 target' : `${length} targets`);

function allWell(targets: readonly Facts[], count: Count): Verdict {
  const busy = count('Pending') + count('Settling');
  const work = busy === 0 ? '' : `; Setpoint is at work on ${resources(busy)}`;
  const text = `All is well: ${resources(count('InSync'))} in sync on ${targetsText(targets)}${work}`;
  return { tone: 'well', text, concerns: [] };
}
