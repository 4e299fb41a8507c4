import type { Action, Finding, ScopePlan } from '../action.ts';
import type { Criticality } from '../criticality.ts';
import type { Desired, Mode } from '../desired.ts';
import type { FieldOrigin } from '../documents/field-origins.ts';
import type { TouchedBy } from '../last-modified.ts';
import type { Observed } from '../observed.ts';
import { type Claimed, claim, nobodysAs } from '../plan/claim.ts';
import { touchedBy } from '../plan/drift-authors.ts';
import { ignoredText, ignoringUnmanaged } from '../plan/ignored.ts';
import type { IgnoreTerms, PlanInput } from '../plan/plan-input.ts';
import { worldOf } from '../plan/world.ts';
import type { DriftRemediation } from '../remediation.ts';
import type { Address } from '../resource.ts';
import type { Claim } from './row.ts';

/** The possible owners of an existing object. */
export const claims = [
  'ours',
  'orphan',
  'unmanaged',
  'copied-mark',
  'unrecorded-mark',
  'other',
  'foreign-store',
] as const satisfies readonly Claim[];

/** An object on a cloud, whose it is, and why we say so. `address`: where it is ours. `by`: who changed it since we wrote it last. */
export interface Ownership {
  readonly scope: string;
  readonly observed: Observed;
  readonly claim: Claim;
  readonly address?: Address;
  readonly why: string;
  readonly by?: TouchedBy;
  /** The entry of a target that leaves it out of the findings. */
  readonly ignored?: IgnoreTerms;
}

/** Every object that stands in a scope, in the order of the observation. */
export function ownership(input: PlanInput, { findings }: ScopePlan): readonly Ownership[] {
  const findingsById = new Map(findings.flatMap((found) => ('id' in found ? [[found.id, found] as const] : [])));
  const claimed = claim(input.observation.resources, input);
  const world = worldOf(input, claimed);
  const ignoredBy = ignoringUnmanaged(world);
  return claimed.map((one) => {
    const by = touchedBy(one.observed, world);
    const ignored = ignoredBy(one);
    return {
      scope: input.observation.scope,
      observed: one.observed,
      ...claimOf(one, findingsById.get(one.observed.id)),
      ...(ignored === undefined ? {} : { ignored, why: ignoredText(ignored) }),
      ...(by === undefined ? {} : { by }),
    };
  });
}

type ResourceFinding = Extract<Finding, { readonly id: string }>;

function claimOf({ claim: by }: Claimed, found: ResourceFinding | undefined): Omit<Ownership, 'scope' | 'observed'> {
  switch (by.by) {
    case 'us':
      if (found?.type === 'orphan') return { claim: 'orphan', address: by.address, why: 'no document wants it' };
      // why: in a group of ours, under `rules: additive`, a rule of nobody's stays nobody's
      if (found?.type === 'unmanaged') return { claim: 'unmanaged', why: found.why };
      return { claim: 'ours', address: by.address, why: 'wanted' };
    case 'other':
      return { claim: 'other', why: `it bears the mark of the estate ${by.estate}` };
    case 'foreign-store':
      return { claim: 'foreign-store', why: `it bears the mark of another store of this estate, ${by.store}` };
    case 'nobody':
      return { claim: nobodysAs(by), why: found?.why ?? 'nobody claims it' };
  }
}

/** All that is known about one resource: what is wanted and who wrote that, what is there, whose it is, and what would happen. */
export type Explanation = Asked & Found;

interface Asked {
  readonly address: Address;
  readonly wanted: readonly Desired[];
  readonly origins: readonly Origin[];
  readonly mode: ModeReason | undefined;
  /** Drift of these categories is not healed by itself. */
  readonly remediation: readonly DriftRemediation[];
  /** Absent where it lies in no scope of the specs. */
  readonly cadence?: CadenceReason | undefined;
}

/** The criticality of a resource, and the interval of its observations, each with its reason. */
export interface CadenceReason {
  readonly criticality: Criticality;
  readonly reason: string;
  /** Where no target states one: by the default of workers. */
  readonly everyMs: number;
  readonly everyReason: string;
  /** The document and line that decide about the whole scope; absent: none states anything. */
  readonly everyDecidedBy?: string;
}

interface Found {
  readonly there: readonly Ownership[];
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/** The line and layer that decided a field, in a document that wants the resource. `file`: as seen from the caller's folder. */
export interface Origin extends Omit<FieldOrigin, 'at'> {
  readonly document: Address;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** That set it; absent: the specs did. */
  readonly patch?: OriginPatch;
}

/** `until`: ms since the epoch. */
export interface OriginPatch {
  readonly id: number;
  readonly actor: string;
  readonly reason: string;
  readonly until: number;
}

/** The mode that holds for a resource, and the line that says so; without one nobody said anything. */
export interface ModeReason {
  readonly mode: Mode;
  readonly why: string;
  /** The stricter one that binds workers until the next generation: no commit lifts its own guard. */
  readonly stillBoundBy?: Mode;
}
