import { join } from 'node:path';
import type { CompiledScope } from '../core/compile/compile.ts';
import {
  type Criticality,
  type CriticalityReason,
  type DecidedBy,
  intervalOf,
  usualIntervalMs,
  type WithCriticality,
} from '../core/criticality.ts';
import type { Desired } from '../core/desired.ts';
import { effectiveCriticality, firstOf } from '../core/documents/cadence.ts';
import type { ResourceDoc } from '../core/documents/effective-terms.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Located } from '../core/documents/tree.ts';
import type { CadenceReason } from '../core/inventory/ownership.ts';
import type { Estate } from '../estate/load.ts';
import type { ScopeReconciles } from '../ports/reconciles.ts';

/** The criticality of a resource and the interval of its observations, with the documents and lines that say so. */
interface CadenceAsked {
  readonly scope: CompiledScope;
  /** Absent: no document wants it. */
  readonly desired?: Desired | undefined;
  /** The documents of it, the nearest first. */
  readonly documents: readonly Located<ResourceDoc>[];
  /** As the plan has it. */
  readonly own: WithCriticality;
  /** Of its scope; absent: none is known. */
  readonly reconciles?: ScopeReconciles | undefined;
}

export function cadenceReason(asked: CadenceAsked, estate: Estate): CadenceReason {
  const { criticality = 'normal' } = asked.own;
  return {
    criticality,
    reason: criticalityWords(reasonOf(asked, estate), estate.dir),
    ...intervalReason(asked, estate.dir),
  };
}

/** The reason of the criticality in the plan, where the documents that the reader sees state the same. */
function reasonOf({ scope, desired, documents, own }: CadenceAsked, { tree }: Estate): CriticalityReason | undefined {
  const names = new Set(scope.targets.map(({ metadata }) => metadata.name));
  const targets = ofKind(tree.documents, 'Target').filter(({ value }) => names.has(value.metadata.name));
  // why: a group heeds its network; of several rules that are one atom, the most critical decides
  const chains = desired?.kind === 'group' ? [documents] : documents.map((one) => [one]);
  const reasons = targets.flatMap((target) =>
    (chains.length === 0 ? [[]] : chains).map((chain) => effectiveCriticality(chain, target)),
  );
  const found = firstOf(reasons);
  return found.criticality === (own.criticality ?? 'normal') ? found : undefined;
}

function criticalityWords(reason: CriticalityReason | undefined, dir: string): string {
  if (reason === undefined) return 'of its documents';
  return reason.decidedBy === undefined ? 'nobody set one' : `${placed(reason.decidedBy, dir)} says so`;
}

const placed = ({ document, at }: DecidedBy, dir: string): string => `${document} at ${join(dir, at.file)}:${at.line}`;

function intervalReason(
  { scope, reconciles }: Pick<CadenceAsked, 'scope' | 'reconciles'>,
  dir: string,
): Omit<CadenceReason, 'criticality' | 'reason'> {
  const everyMs = everyMsOf(scope, reconciles);
  const { everyMs: stated, by } = intervalOf(scope.cadence, usualIntervalMs);
  const decidedBy = by?.every?.decidedBy ?? by?.decidedBy;
  const ofTarget =
    stated === everyMs
      ? 'its target states it'
      : 'its target states another, which counts from the next observation on';
  return {
    everyMs,
    everyReason:
      by?.every === undefined
        ? `${factorWords[by?.criticality ?? 'normal']} --interval of the workers, 5m by default`
        : ofTarget,
    ...(decidedBy === undefined ? {} : { everyDecidedBy: placed(decidedBy, dir) }),
  };
}

/** The interval of a scope's observations: as workers kept it last, else as they would by their default. */
export function everyMsOf(
  { cadence }: Pick<CompiledScope, 'cadence'>,
  reconciles: ScopeReconciles | undefined,
): number {
  const { ended = 0, nextAt = 0 } = reconciles?.last?.ending ?? {};
  return nextAt > ended ? nextAt - ended : intervalOf(cadence, usualIntervalMs).everyMs;
}

/** See `intervalBy`. */
const factorWords: Readonly<Record<Criticality, string>> = {
  critical: 'a fifth of the',
  high: 'half of the',
  normal: 'the',
  low: 'six times the',
};
