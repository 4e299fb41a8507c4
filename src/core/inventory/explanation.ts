import type { Action, Finding } from '../action.ts';
import type { Desired, Mode } from '../desired.ts';
import type { Address } from '../resource.ts';
import type { FieldOrigin } from '../spec/field-origins.ts';
import type { Ownership } from './ownership.ts';

/** All that is known about one resource: what is wanted and who wrote that, what is there, whose it is, and what would happen. */
export type Explanation = Asked & Found;

interface Asked {
  readonly address: Address;
  readonly wanted: readonly Desired[];
  readonly origins: readonly Origin[];
  readonly mode: ModeReason | undefined;
}

interface Found {
  readonly there: readonly Ownership[];
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/** Which line of which layer decided a field, in a document that wants the resource. `file`: as seen from where it was asked. */
export interface Origin extends Omit<FieldOrigin, 'at'> {
  readonly document: Address;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The mode that holds for a resource, and the line that says so; without one nobody said anything. */
export interface ModeReason {
  readonly mode: Mode;
  readonly why: string;
  /** The stricter one that binds workers until the next generation: no commit lifts its own guard. */
  readonly stillBoundBy?: Mode;
}
