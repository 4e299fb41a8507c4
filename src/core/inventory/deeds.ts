import type { Action, Finding, ScopePlan, Verb } from '../action.ts';
import type { Failure } from '../failure.ts';
import type { Address } from '../resource.ts';
import type { Subject } from './subjects.ts';

/** What came of the last attempt to carry out a plan, as far as it was not done. */
export interface Attempt {
  readonly failed: readonly Failed[];
  /** What was not sent, and why. */
  readonly held: readonly Finding[];
}

/** A call that a person must look into. */
export interface Failed {
  readonly verb: Verb;
  readonly address: Address;
  readonly failure: Failure;
}

/** What is to be done about one subject, and what keeps it from being done. */
export interface Deed {
  readonly action?: Action;
  /** Why the action is not carried out. */
  readonly held?: Withheld;
  readonly failed?: Failed;
  /** What was found instead of an action. */
  readonly found?: Exclude<Finding, Withheld>;
}

type Stop = Extract<Finding, { readonly type: 'wrong-account' | 'foreign-store' }>;
export type Withheld = Extract<Finding, { readonly type: 'withheld' }>;

interface Done {
  readonly plan: ScopePlan;
  /** All that the plan wanted before anything was withheld. */
  readonly planned: readonly Action[];
  readonly attempt: Attempt;
}

/** Tells of each subject what is to be done about it. */
export function deedsOf({ plan, planned, attempt }: Done): (subject: Subject) => Deed {
  const actions = new Map(planned.flatMap((action) => (action.verb === 'forget' ? [] : [[keyOf(action), action]])));
  const held = new Map([...attempt.held, ...plan.findings].filter(isWithheld).map((one) => [deedKey(one), one]));
  const failed = new Map(attempt.failed.map((one) => [`${one.verb} ${one.address}`, one]));
  const found = new Map<string, Deed['found']>();
  for (const one of plan.findings) if (!isWithheld(one)) for (const key of subjectsOf(one)) found.set(key, one);
  const stop = plan.findings.find(isStop);
  return (subject) => {
    const action = actionOf(subject, actions);
    const key = action && `${action.verb} ${action.address}`;
    const why = held.get(key ?? '');
    const failure = failed.get(key ?? '');
    const instead = action === undefined ? foundOf(subject, found) : stop;
    return {
      ...(action === undefined ? {} : { action }),
      ...(why === undefined ? {} : { held: why }),
      ...(failure === undefined ? {} : { failed: failure }),
      ...(instead === undefined ? {} : { found: instead }),
    };
  };
}

const isStop = (one: Finding): one is Stop => one.type === 'wrong-account' || one.type === 'foreign-store';
const isWithheld = (one: Finding): one is Withheld => one.type === 'withheld';
const deedKey = ({ action, address }: Withheld): string => `${action} ${address}`;

/** What stands is known by its id, and what is to be made by its address. */
const keyOf = (action: Action): string =>
  'observed' in action ? `${action.kind} ${action.observed.id}` : action.address;

function actionOf({ desired, observed }: Subject, actions: ReadonlyMap<string, Action>): Action | undefined {
  const own = observed && actions.get(`${observed.kind} ${observed.id}`);
  return own ?? (desired && actions.get(desired.address));
}

function subjectsOf(finding: Finding): readonly string[] {
  if ('id' in finding) return [`${finding.kind} ${finding.id}`];
  return 'address' in finding ? [finding.address] : [];
}

function foundOf({ address, observed }: Subject, found: ReadonlyMap<string, Deed['found']>): Deed['found'] {
  const own = observed && found.get(`${observed.kind} ${observed.id}`);
  return own ?? (address === undefined ? undefined : found.get(address));
}
