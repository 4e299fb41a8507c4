import type { Action, Finding, ScopePlan } from '../action.ts';
import type { DocumentRef } from '../desired.ts';
import type { Address, Kind } from '../resource.ts';
import { compareText } from '../text.ts';
import { shortRevision } from './wording.ts';

/** The counts of a plan, by documents. `calls`: those that change something and that applying takes. */
export interface Summary {
  readonly create: number;
  readonly update: number;
  readonly replace: number;
  readonly delete: number;
  readonly adopt: number;
  readonly drifted: number;
  readonly unmanaged: number;
  readonly orphan: number;
  readonly blocked: number;
  readonly withheld: number;
  readonly calls: number;
}

export function summarise(plans: readonly ScopePlan[]): Summary {
  const entries = plans.flatMap(({ actions }) => entriesOf(actions));
  const findings = plans.flatMap((plan) => plan.findings);
  const count = (verb: Entry['verb']): number => entries.filter((entry) => entry.verb === verb).length;
  const found = (...types: readonly Finding['type'][]): number =>
    findings.filter(({ type }) => types.includes(type)).length;
  return {
    create: count('create'),
    update: count('update'),
    replace: count('replace'),
    delete: count('delete'),
    adopt: count('adopt'),
    drifted: entries.filter(({ drifted, verb }) => drifted && verb !== 'forget').length,
    unmanaged: found('unmanaged', 'copied-mark', 'unrecorded-mark'),
    orphan: found('orphan'),
    blocked: found('blocked', 'non-convergent', 'wrong-account', 'foreign-store', 'incomplete'),
    withheld: found('withheld'),
    calls: plans.reduce((sum, { calls }) => sum + calls.predicted, 0),
  };
}

/** `3 to add, 1 to change, 0 to replace, 0 to delete · 2 drifted · 14 unmanaged · folder:1a2b3c4 · 41 calls` */
export function summaryLine(summary: Summary, revision: string): string {
  return [
    changeCounts(summary),
    `${summary.drifted} drifted`,
    `${summary.unmanaged} unmanaged`,
    ...findingCounts(summary),
    shortRevision(revision),
    `${summary.calls} ${summary.calls === 1 ? 'call' : 'calls'}`,
  ].join(' · ');
}

/** `3 to add, 1 to change, 0 to replace, 0 to delete` */
export function changeCounts(summary: Summary): string {
  const changes = `${summary.create} to add, ${summary.update} to change, ${summary.replace} to replace, ${summary.delete} to delete`;
  return changes + (summary.adopt > 0 ? `, ${summary.adopt} to adopt` : '');
}

/** The counts of findings, where there are any. */
export function findingCounts(summary: Summary): readonly string[] {
  const some = (count: number, what: string): readonly string[] => (count > 0 ? [`${count} ${what}`] : []);
  return [
    ...some(summary.orphan, summary.orphan === 1 ? 'orphan' : 'orphans'),
    ...some(summary.blocked, 'blocked'),
    ...some(summary.withheld, 'withheld'),
  ];
}

/** One change as people see it: a resource, or a rule document with all its atoms. */
export interface Entry {
  readonly verb: EntryVerb;
  readonly kind: Kind;
  readonly address: Address;
  readonly document?: DocumentRef;
  /** Something of it drifted, whatever else changes with it: `plan` and `drift` count alike. */
  readonly drifted: boolean;
  readonly actions: readonly Action[];
}

export type EntryVerb = 'create' | 'update' | 'replace' | 'delete' | 'adopt' | 'forget';

/**
 * Actions as entries, in the order of their first action. Atoms gather under the first document that wants them: only
 * additions is a create, only removals of a document that is gone a delete, all else an update of the document.
 */
export function entriesOf(actions: readonly Action[]): readonly Entry[] {
  const byKey = Map.groupBy(actions, (action) => `${action.verb === 'forget' ? 'forget ' : ''}${subjectOf(action)}`);
  return [...byKey.values()].map((group) => entryOf(group));
}

function subjectOf(action: Action): Address {
  if (action.kind !== 'firewall-rule') return action.address;
  const documents = action.documents.map(({ address }) => address).toSorted(compareText);
  return documents.find((address) => address.includes('/firewall-rule/')) ?? documents[0] ?? action.address;
}

function entryOf(actions: readonly Action[]): Entry {
  const [first] = actions;
  if (first === undefined) throw new Error('an entry has at least one action');
  const address = subjectOf(first);
  const document = first.documents.find((one) => one.address === address) ?? first.documents[0];
  return {
    verb: verbOf(actions),
    kind: first.kind,
    address,
    document,
    drifted: actions.some(({ cause }) => cause === 'drift'),
    actions,
  };
}

function verbOf(actions: readonly Action[]): EntryVerb {
  const verbs = new Set(actions.map(({ verb }) => verb));
  const [only] = verbs;
  if (verbs.size > 1 || only === undefined) return 'update';
  const moved = actions.some((action) => action.verb === 'delete' && action.because === 'changed');
  return moved ? 'update' : only;
}
