import type { WithheldDrift } from '../core/inventory/withheld-drift.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Approval } from '../ports/approvals.ts';
import type { Quarantined, StoppedRollout } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/inventory.ts';
import type { KeptRow } from '../ports/kept-row.ts';
import type { HeldLease } from '../ports/lease.ts';
import type { Pause } from '../ports/pauses.ts';
import { followScope, type Pin, type SourceState } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { Replacement } from '../ports/targets.ts';
import type { Estate } from './estate.ts';
import { type LeftAlone, leftAlone } from './left-alone.ts';
import { blockedRows, halfReplacedIn, withheldDrift } from './unfinished.ts';

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

/** Changes of a scope that a limit holds back until a person approves them, by the last look there. */
export interface HeldByLimit {
  readonly scope: ScopeKey;
  /** How many resources wait for the same. */
  readonly count: number;
  readonly why: string;
}

interface InHand {
  readonly limited: readonly HeldByLimit[];
  readonly pauses: readonly Pause[];
  readonly quarantined: readonly Quarantined[];
  readonly leases: readonly HeldLease[];
  readonly sources: readonly SourceState[];
  /** The worker that follows the sources; absent: none does, so newer commits do not count. */
  readonly follower?: string;
  readonly pin?: Pin;
  readonly leftAlone: readonly LeftAlone[];
  readonly withheldDrift: readonly WithheldDrift[];
}

export interface ScopeStanding {
  readonly scope: ScopeKey;
  /** The newest generation that workers brought wholly into force; 0: none. */
  readonly standing: number;
  readonly approvals: readonly Approval[];
  readonly stopped: readonly StoppedRollout[];
  readonly replacements: readonly Replacement[];
  /** A pass that somebody asked for and nobody has made yet: why. */
  readonly wish?: string;
}

export async function standingOf(estate: Estate, store: Store): Promise<Standing> {
  const { name, dir, tree, scopes } = estate;
  const [generation, blocked, pauses, quarantined, leases, sources, pin, dropped, withheld] = await Promise.all([
    store.generations.current(name),
    blockedRows({ seen: [{ estates: [name] }] }, store),
    store.fleet.pauses.inForce(name),
    store.fleet.quarantine.list(name),
    store.leases.held(name),
    store.sources.states.list(name),
    store.sources.pins.current(name),
    leftAlone(estate, store),
    withheldDrift({ estate: name, seen: [{ estates: [name] }] }, store),
  ]);
  const follower = leases.find(({ scope }) => scope === followScope)?.holder;
  return {
    estate: name,
    ...(generation === undefined ? {} : { generation: { number: generation.number, revision: generation.revision } }),
    folder: { dir, revision: tree.revision },
    scopes: await Promise.all(scopes.map(({ scope }) => standingIn(scope, name, blocked, store))),
    limited: byLimits(blocked),
    pauses,
    quarantined,
    leases,
    sources,
    ...(follower === undefined ? {} : { follower }),
    leftAlone: dropped,
    withheldDrift: withheld,
    ...(pin === undefined ? {} : { pin }),
  };
}

export const heldByLimits = async (estate: string, store: Pick<Store, 'rows'>): Promise<readonly HeldByLimit[]> =>
  byLimits(await blockedRows({ seen: [{ estates: [estate] }] }, store));

function byLimits(blocked: readonly KeptRow[]): readonly HeldByLimit[] {
  const held = new Map<string, HeldByLimit>();
  for (const { place, state } of blocked) {
    const { code, reason: why } = state;
    const key = `${place.scope} ${why}`;
    if (code === 'limit') held.set(key, { scope: place.scope, why, count: (held.get(key)?.count ?? 0) + 1 });
  }
  return [...held.values()];
}

async function standingIn(
  scope: ScopeKey,
  estate: string,
  blocked: readonly KeptRow[],
  { fleet, inventory }: Store,
): Promise<ScopeStanding> {
  const where = { estate, scope };
  const [knowledge, standing, approvals, stopped, { wish, reason }] = await Promise.all([
    inventory.knowledge(estate, scope),
    fleet.rollouts.standing(where),
    fleet.approvals.inForce(where),
    fleet.rollouts.stopped(where),
    fleet.requests.pulse(where),
  ]);
  const replacements = halfReplacedIn(knowledge, blocked);
  return { scope, standing, approvals, stopped, replacements, ...(wish === 0 ? {} : { wish: reason ?? '' }) };
}
