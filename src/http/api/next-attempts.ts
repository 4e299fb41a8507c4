import type { ScopeKey } from '../../core/resource.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { Passes } from '../../ports/passes.ts';

/** When each scope of an estate has its next pass, at the latest; of one that runs, since when it does. */
export type NextAttempts = (estate: string) => Promise<ReadonlyMap<ScopeKey, number>>;

const goodForMs = 1_000;

/** Known for a second: many ask at once. */
export function nextAttemptsBy(passes: Pick<Passes, 'scopes'>, clock: Pick<Clock, 'now'>): NextAttempts {
  const known = new Map<string, { readonly at: number; readonly asked: ReturnType<NextAttempts> }>();
  return (estate) => {
    const before = known.get(estate);
    if (before !== undefined && clock.now() - before.at < goodForMs) return before.asked;
    const asked = ask(estate, passes);
    known.set(estate, { at: clock.now(), asked });
    asked.catch(() => known.delete(estate));
    return asked;
  };
}

async function ask(estate: string, passes: Pick<Passes, 'scopes'>): Promise<ReadonlyMap<ScopeKey, number>> {
  const scopes = await passes.scopes(estate);
  return new Map(
    scopes.flatMap(({ scope, last, running }) => {
      const at = running?.began ?? last?.ending?.nextAt;
      return at === undefined ? [] : [[scope, at] as const];
    }),
  );
}
