import { printable } from '../../core/text.ts';
import type { By, Quarantined, StoppedRollout } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { type Stop, stoppedIn, stopsNamed } from '../../queries/pauses.ts';
import { requestReconciles } from '../../queries/requests.ts';
import { Complaint } from '../complaint.ts';

export interface Resuming {
  readonly estate: Estate;
  readonly store: Store;
  readonly by: By;
}

/** Lets stopped rollouts go on: of this document, in whichever scope, or `all`. Those that did; none where none had stopped. */
export async function resumeRollouts(
  document: string,
  { estate, store, by }: Resuming,
): Promise<readonly StoppedRollout[]> {
  const { rollouts } = store.fleet;
  const stops = await stoppedIn(estate, store);
  if (stops.length === 0) return [];
  const chosen = document === 'all' ? stops : [stopNamed(document, stops)];
  for (const { where, rollout } of chosen) await rollouts.resume(where, by, rollout.document);
  await requestReconciles(estate, [...new Set(chosen.map(({ where }) => where.scope))], {
    store,
    reason: `${by.person} let a rollout go on: ${by.reason}`,
  });
  return chosen.map(({ rollout }) => rollout);
}

/** Whole, or an ending that only one of them has. Of a target's rollout the name is its scope. */
function stopNamed(given: string, stops: readonly Stop[]): Stop {
  const fits = stopsNamed(given, stops);
  const [stop] = fits;
  if (stop !== undefined && fits.length === 1) return stop;
  const lines = stops.map(({ rollout }) => `--rollout-of ${printable(rollout.document)}`);
  throw new Complaint(`${fits.length > 1 ? 'More than one' : 'No'} rollout of "${given}" has stopped.`, {
    next: `Name one that has, or all:\n${lines.join('\n')}`,
  });
}

/** Lets a scope have passes again. */
export async function releaseQuarantine(given: string, { estate, store, by }: Resuming): Promise<Quarantined> {
  const { quarantine } = store.fleet;
  const list = await quarantine.list(estate.name);
  const held = list.find(({ scope }) => scope === given);
  if (held === undefined)
    throw new Complaint(`${given} is not in quarantine.`, {
      next: list.length === 0 ? 'Nothing is.' : `These are: ${list.map(({ scope }) => scope).join(', ')}`,
    });
  await quarantine.release({ estate: estate.name, scope: held.scope }, by);
  await requestReconciles(estate, [held.scope], {
    store,
    reason: `${by.person} released it from quarantine: ${by.reason}`,
  });
  return held;
}
