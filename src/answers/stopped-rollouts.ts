import type { StoppedRollout } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';

export interface Stop {
  readonly where: Where;
  readonly rollout: StoppedRollout;
}

/** Rollouts of this estate that stopped. */
export async function stoppedIn(
  { name, compiled }: Pick<Estate, 'name' | 'compiled'>,
  store: Store,
): Promise<readonly Stop[]> {
  const all = await Promise.all(
    compiled.scopes.map(async ({ scope }) => {
      const where = { estate: name, scope };
      return (await store.fleet.rollouts.stopped(where)).map((rollout) => ({ where, rollout }));
    }),
  );
  return all.flat();
}

/** Those whose document this names: whole, or by an ending. Of a target's rollout the name is its scope. */
export function stopsNamed(given: string, stops: readonly Stop[]): readonly Stop[] {
  const whole = stops.filter(({ rollout: { document } }) => document === given);
  return whole.length > 0 ? whole : stops.filter(({ rollout: { document } }) => document.endsWith(`/${given}`));
}
