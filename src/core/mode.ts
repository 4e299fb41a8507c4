import type { Mode } from './desired.ts';

const strictness: Readonly<Record<Mode, number>> = { observe: 0, plan: 1, enforce: 2 };

/** Strictest first. */
export const byStrictness = (a: Mode, b: Mode): number => strictness[a] - strictness[b];

/** The strictest of those that are set; `plan` where none is. */
export const strictest = (modes: readonly (Mode | undefined)[]): Mode =>
  modes.filter((mode) => mode !== undefined).toSorted(byStrictness)[0] ?? 'plan';
