import type { ScopeKey } from '../core/resource.ts';
import type { Approval } from '../ports/approvals.ts';
import type { Quarantined, StoppedRollout } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/inventory.ts';
import type { HeldLease } from '../ports/lease.ts';
import type { Pause } from '../ports/pauses.ts';
import type { Pin, SourceState } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';
import { type LeftAlone, leftAlone } from './left-alone.ts';

/** How an estate stands, by its store alone. */
export type Standing = Spoken & InHand;

interface Spoken {
  readonly estate: string;
  /** The newest; absent before the first. */
  readonly generation?: Pick<Generation, 'number' | 'revision'>;
  /** Of the specs in the folder: another one than the newest generation's is not in force. */
  readonly folder: { readonly dir: string; readonly revision: string };
  readonly scopes: readonly ScopeStanding[];
}

interface InHand {
  readonly pauses: readonly Pause[];
  readonly quarantined: readonly Quarantined[];
  readonly leases: readonly HeldLease[];
  readonly sources: readonly SourceState[];
  readonly pin?: Pin;
  readonly leftAlone: readonly LeftAlone[];
}

export interface ScopeStanding {
  readonly scope: ScopeKey;
  /** The newest generation that workers brought wholly into force; 0: none. */
  readonly standing: number;
  readonly approvals: readonly Approval[];
  readonly stopped: readonly StoppedRollout[];
  /** A pass that somebody asked for and nobody has made yet: why. */
  readonly wish?: string;
}

export async function standingOf(estate: Estate, store: Store): Promise<Standing> {
  const { name, dir, tree, scopes } = estate;
  const [generation, pauses, quarantined, leases, sources, pin, dropped] = await Promise.all([
    store.generations.current(name),
    store.fleet.pauses.inForce(name),
    store.fleet.quarantine.list(name),
    store.leases.held(name),
    store.sources.states.list(name),
    store.sources.pins.current(name),
    leftAlone(estate, store),
  ]);
  return {
    estate: name,
    ...(generation === undefined ? {} : { generation: { number: generation.number, revision: generation.revision } }),
    folder: { dir, revision: tree.revision },
    scopes: await Promise.all(scopes.map(({ scope }) => standingIn(scope, name, store))),
    pauses,
    quarantined,
    leases,
    sources,
    leftAlone: dropped,
    ...(pin === undefined ? {} : { pin }),
  };
}

async function standingIn(scope: ScopeKey, estate: string, { fleet }: Store): Promise<ScopeStanding> {
  const where = { estate, scope };
  const [standing, approvals, stopped, { wish, reason }] = await Promise.all([
    fleet.rollouts.standing(where),
    fleet.approvals.inForce(where),
    fleet.rollouts.stopped(where),
    fleet.requests.pulse(where),
  ]);
  return { scope, standing, approvals, stopped, ...(wish === 0 ? {} : { wish: reason ?? '' }) };
}
