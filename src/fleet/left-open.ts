import type { Finding } from '../core/action.ts';
import type { Reconciled } from './reconcile.ts';

/**
 * What a pass leaves open, in a line for people: `withheld: mode 2, paused 1; not listed: network (AccessDenied)`. Undefined
 * where nothing is. Orphans and what is not ours are no work of a pass.
 */
export function leftOpen({ converged: { last } }: Reconciled): string | undefined {
  const findings = last?.plan.findings ?? [];
  const parts = [
    counted('withheld', findings, (found) => (found.type === 'withheld' ? found.code : undefined)),
    counted('blocked', findings, (found) =>
      found.type === 'blocked' || found.type === 'non-convergent' ? found.code : undefined,
    ),
    counted('store', findings, (found) => (found.type === 'unrecorded-mark' ? found.type : undefined)),
    ...findings.flatMap((found) => {
      if (found.type === 'incomplete') return [`not listed: ${found.kind} (${found.code})`];
      return found.type === 'wrong-account' || found.type === 'foreign-store' ? [found.type] : [];
    }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** What a limit holds back until a person approves it; `why`: the first reason. Undefined where nothing is. */
export function heldByLimit({
  converged: { last },
}: Reconciled): { readonly count: number; readonly why: string } | undefined {
  const held = (last?.plan.findings ?? []).filter((found) => found.type === 'withheld' && found.code === 'limit');
  const [first] = held;
  return first && { count: held.length, why: first.why };
}

function counted(
  what: string,
  findings: readonly Finding[],
  codeOf: (found: Finding) => string | undefined,
): string | undefined {
  const codes = Map.groupBy(
    findings.flatMap((found) => codeOf(found) ?? []),
    (code) => code,
  );
  if (codes.size === 0) return undefined;
  return `${what}: ${[...codes].map(([code, all]) => `${code} ${all.length}`).join(', ')}`;
}
