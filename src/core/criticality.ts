import type { Position } from './documents/tree.ts';

/** Most critical first. */
export const criticalities = ['critical', 'high', 'normal', 'low'] as const;

export type Criticality = (typeof criticalities)[number];

const rank: Readonly<Record<Criticality, number>> = { critical: 0, high: 1, normal: 2, low: 3 };

/** Most critical first. Absent: normal. */
export const byCriticality = (a: Criticality | undefined, b: Criticality | undefined): number =>
  rank[a ?? 'normal'] - rank[b ?? 'normal'];

/** `normal` where there is none. */
export const mostCritical = (all: readonly (Criticality | undefined)[]): Criticality =>
  all.toSorted(byCriticality)[0] ?? 'normal';

/** As a field of plain data, where its absence means normal. */
export interface WithCriticality {
  readonly criticality?: Criticality;
}

/** The most critical of these. */
export function criticalityOf(all: readonly WithCriticality[]): WithCriticality {
  const criticality = mostCritical(all.map((one) => one.criticality));
  return criticality === 'normal' ? {} : { criticality };
}

/** Bounds of the interval that a target states; docs/criticality.md has the reasons. */
export const shortestIntervalMs = 15_000;
export const longestIntervalMs = 24 * 3_600_000;

/** The default of workers: `--interval`. */
export const usualIntervalMs = 300_000;

/**
 * The interval by criticality, as a multiple of the workers' own, `usualMs`:
 *
 *   criticality | interval       | with 5m
 *   ------------+----------------+--------
 *   critical    | a fifth        | 1m
 *   high        | a half         | 2m 30s
 *   normal      | as it is       | 5m
 *   low         | six times that | 30m
 *
 * Never under 15 s, unless that of workers is; never over a day, unless that of workers is.
 */
export function intervalBy(criticality: Criticality, usualMs: number): number {
  const least = Math.min(shortestIntervalMs, usualMs);
  const most = Math.max(longestIntervalMs, usualMs);
  return Math.min(most, Math.max(least, Math.round(usualMs * factors[criticality])));
}

const factors: Readonly<Record<Criticality, number>> = { critical: 1 / 5, high: 1 / 2, normal: 1, low: 6 };

/** A document and line that say something. */
export interface DecidedBy {
  readonly document: string;
  readonly at: Position;
}

/** The criticality of something, with the document that says so; absent: none does, so it is normal. */
export interface CriticalityReason {
  readonly criticality: Criticality;
  readonly decidedBy?: DecidedBy;
}

/** One target's part in the observations of its scope. Its criticality is that of the most critical document there. */
export interface TargetCadence extends CriticalityReason {
  readonly target: string;
  /** The interval that the target states; absent: it follows the criticality. */
  readonly every?: { readonly ms: number; readonly decidedBy: DecidedBy };
}

/** The criticality of a scope, and the intervals that its targets ask for: one observation covers them all. */
export interface Cadence extends CriticalityReason {
  readonly targets: readonly TargetCadence[];
}

/** The interval of a scope's observations, and the target that asks for it. */
export interface Interval {
  readonly everyMs: number;
  readonly by?: TargetCadence;
}

/** The shortest interval of its targets. `usualMs`: the workers' own. */
export function intervalOf({ targets }: Pick<Cadence, 'targets'>, usualMs: number): Interval {
  const all = targets.map((by) => ({ everyMs: by.every?.ms ?? intervalBy(by.criticality, usualMs), by }));
  return all.toSorted((a, b) => a.everyMs - b.everyMs)[0] ?? { everyMs: usualMs };
}
