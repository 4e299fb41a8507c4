import type { Finding, ScopePlan } from '../action.ts';
import { type Entry, entriesOf } from './entries.ts';
import { shortRevision } from './revision.ts';

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
    `${summary.calls} calls`,
  ].join(' · ');
}

/** `3 to add, 1 to change, 0 to replace, 0 to delete` */
export function changeCounts(summary: Summary): string {
  const changes = `${summary.create} to add, ${summary.update} to change, ${summary.replace} to replace, ${summary.delete} to delete`;
  return changes + (summary.adopt > 0 ? `, ${summary.adopt} to adopt` : '');
}

/** What is not acted on, where there is any. */
export function findingCounts(summary: Summary): readonly string[] {
  const some = (count: number, what: string): readonly string[] => (count > 0 ? [`${count} ${what}`] : []);
  return [
    ...some(summary.orphan, summary.orphan === 1 ? 'orphan' : 'orphans'),
    ...some(summary.blocked, 'blocked'),
    ...some(summary.withheld, 'withheld'),
  ];
}
