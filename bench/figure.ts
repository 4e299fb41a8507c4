import type { Control } from '../sandbox/control.ts';

/** One measured figure. `ratio`: value over floor, where there is a floor or a peer from the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor?: number;
  readonly ratio?: number;
  /** Printed where the figure is missed: each thing that it counts. */
  readonly evidence?: readonly string[];
}

/** Changes the sandbox right before a figure is taken. Benches do nothing; tests show by it that the figure can fail. */
export type Spoil = (control: Control) => unknown;

export const spoilNothing: Spoil = () => undefined;

/** The value that 95 of 100 do not pass; NaN of none. */
export const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
