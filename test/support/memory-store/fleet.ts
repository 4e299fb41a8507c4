import { calmMs, fightKey, isFight } from '../../../src/core/fights.ts';
import { canonical } from '../../../src/core/ledger/canonical.ts';
import { fieldOf, noCount, plus, sorts } from '../../../src/core/limits.ts';
import type { Held } from '../../../src/core/pause.ts';
import { compareText } from '../../../src/core/text.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type {
  Backoffs,
  Fights,
  FleetState,
  ListedHealing,
  Pauses,
  Quarantine,
  Requests,
  Rollouts,
  ScopeCosts,
  ScopeCount,
  ScopeCounts,
  SpecSnapshots,
} from '../../../src/ports/fleet-state.ts';
import type { Where } from '../../../src/ports/queue.ts';
import { fightEvent } from '../../../src/store/fights.ts';
import { stoppedByBirths } from '../../../src/store/launch-health.ts';
import { noteBody, pauseNote, quarantineNote, resumeNote, rolloutNote } from '../../../src/store/ledger-entries.ts';
import { unitedStops } from '../../../src/store/rollouts.ts';
import { memoryApprovals } from './approvals.ts';
import { forgiveBirths, readBirths } from './launch-health.ts';
import {
  append,
  estateOf,
  leaseKey,
  type Memory,
  type PauseMemory,
  publishEventsIn,
  type RolloutMemory,
  scopeOf,
  whereKey,
} from './memory.ts';
import { memoryLifetimes, memoryPatches } from './patches.ts';
import { memoryResourceNotes } from './resource-notes.ts';

const memoryBackoffs = ({ fleet: { backoffs } }: Memory, clock: Clock): Backoffs => ({
  list: async (where) =>
    [...(backoffs.get(whereKey(where))?.values() ?? [])]
      .map((one) => ({ ...one, waits: one.until > clock.now() }))
      .sort((a, b) => compareText(a.address, b.address)),
  put: async (where, refused, forMs) => {
    const kept = backoffs.get(whereKey(where)) ?? new Map();
    kept.set(refused.address, { ...refused, until: clock.now() + forMs });
    backoffs.set(whereKey(where), kept);
  },
  clear: async (where, address) => {
    if (address === undefined) backoffs.delete(whereKey(where));
    else backoffs.get(whereKey(where))?.delete(address);
  },
});

function memoryFights(memory: Memory, clock: Clock): Fights {
  const { fights } = memory.fleet;
  return {
    keep: async (where, healings) => {
      const now = clock.now();
      const kept = new Map([...(fights.get(whereKey(where)) ?? [])].filter(([, { at }]) => at > now - calmMs));
      for (const { waitMs, isTold: _, targets: __, owner: ___, ...healing } of healings) {
        const since = healing.times > 1 ? (kept.get(fightKey(healing))?.since ?? now) : now;
        kept.set(fightKey(healing), { ...healing, scope: where.scope, since, at: now, until: now + waitMs });
      }
      fights.set(whereKey(where), kept);
      publishEventsIn(
        memory.events,
        now,
        healings.flatMap((one) => (one.isTold ? [fightEvent(where, one)] : [])),
      );
    },
    list: async (where) => listedFights(memory, where, clock.now()),
    counts: async () => {
      const all = [...fights.values()].flatMap((kept) => [...kept.values()]).filter(isFight);
      const groups = Map.groupBy(all, ({ scope, closes }) => `${scope.split('/')[0]} ${closes}`);
      return [...groups.values()].flatMap((alike) =>
        alike
          .slice(0, 1)
          .map(({ scope, closes }) => ({ cloud: scope.split('/')[0] ?? '', closes, count: alike.length })),
      );
    },
  };
}

export const listedFights = (
  { fleet: { fights } }: Memory,
  { estate, scope }: Pick<Where, 'estate'> & Partial<Where>,
  now: number,
): readonly ListedHealing[] =>
  [...fights]
    .filter(([key]) => (scope === undefined ? key.startsWith(`${estate} `) : key === whereKey({ estate, scope })))
    .flatMap(([, kept]) => [...kept.values()])
    .filter(({ at }) => at > now - calmMs)
    .map((one) => ({ ...one, waits: one.until > now }))
    .sort(
      (a, b) => compareText(a.scope, b.scope) || compareText(a.address, b.address) || compareText(a.field, b.field),
    );

function memoryPauses(memory: Memory, clock: Clock): Pauses {
  const { pauses } = memory.fleet;
  const note = (name: string, said: Readonly<Record<string, unknown>>) =>
    append(estateOf(memory, name), { at: clock.now(), type: 'note', body: noteBody(name, said) });
  const active = (name: string): readonly PauseMemory[] =>
    pauses.filter(({ estate, pause, ended }) => estate === name && !ended && pause.until > clock.now());
  return {
    begin: async (estate, draft) => {
      const pause = { ...structuredClone(draft), id: pauses.length + 1, at: clock.now() };
      pauses.push({ estate, pause, ended: false });
      estateOf(memory, estate).guard.epoch += 1;
      estateOf(memory, estate).countEpoch += 1;
      note(estate, pauseNote(pause));
      return pause;
    },
    end: async (estate, held, by) => {
      const ending = active(estate).filter(({ pause }) => holds(pause) === holds(held));
      if (ending.length === 0) return [];
      for (const one of ending) one.ended = true;
      estateOf(memory, estate).countEpoch += 1;
      const ended = ending.map(({ pause }) => pause);
      note(
        estate,
        resumeNote(
          held,
          ended.map(({ id }) => id),
          by,
        ),
      );
      return ended;
    },
    active: async (estate) => active(estate).map(({ pause }) => pause),
  };
}

const holds = ({ what, of, incident = '' }: Held): string => canonical({ what, of, incident });

function memoryScopeCounts(memory: Memory, clock: Clock): ScopeCounts {
  const countIn = (estate: string, scope: string, generation: number): ScopeCount | undefined => {
    const { scopeCounts, countEpoch } = estateOf(memory, estate);
    const kept = scopeCounts.get(scope);
    const stands = kept?.generation === generation && kept.epoch === countEpoch;
    return stands && (kept.until === undefined || kept.until > clock.now()) ? kept : undefined;
  };
  return {
    epoch: async (estate) => estateOf(memory, estate).countEpoch,
    keep: async ({ estate, scope }, count) => void estateOf(memory, estate).scopeCounts.set(scope, count),
    fill: async ({ estate, scope }, count) => {
      if (countIn(estate, scope, count.generation) === undefined)
        estateOf(memory, estate).scopeCounts.set(scope, count);
    },
    others: async ({ estate, scope }, { generation }) => {
      const looked = [...estateOf(memory, estate).scopes].flatMap(([key, { looked: look }]) =>
        look === undefined || key === scope ? [] : [key],
      );
      const counted = looked.map((key) => countIn(estate, key, generation));
      const all = counted.flatMap((one) => one?.count ?? []);
      return {
        count: sorts.reduce(
          (sum, sort) =>
            plus(
              sum,
              sort,
              all.reduce((total, one) => total + one[fieldOf[sort]], 0),
            ),
          noCount,
        ),
        uncounted: looked.filter((_, at) => counted[at] === undefined).sort(),
      };
    },
  };
}

const memoryScopeCosts = (memory: Memory): ScopeCosts => ({
  keep: async ({ estate, scope, lease }, cost) => {
    const { scopeCosts } = estateOf(memory, estate);
    const held = memory.leases.get(leaseKey(estate, scope));
    if (held?.holder !== lease.holder || held.epoch !== lease.epoch) return;
    const before = scopeCosts.get(scope);
    if ((before?.generation ?? 0) > cost.generation) return;
    const { plannedIncrease = before?.generation === cost.generation ? before.plannedIncrease : undefined } = cost;
    if (plannedIncrease !== undefined) scopeCosts.set(scope, { ...structuredClone(cost), plannedIncrease });
  },
  fill: async ({ estate, scope }, cost, before) => {
    const { scopeCosts } = estateOf(memory, estate);
    const own = scopeCosts.get(scope);
    if (own === undefined || (own.generation < cost.generation && own.monthly === before))
      scopeCosts.set(scope, structuredClone(cost));
  },
  dropEmpty: async ({ estate, scopes: named }) => {
    const { scopeCosts, scopes, open } = estateOf(memory, estate);
    const busy = new Set([...open.values()].map(({ scope }) => scope));
    for (const scope of scopeCosts.keys()) {
      const claims = [...(scopes.get(scope)?.claims.values() ?? [])];
      const isEmpty = !busy.has(scope) && !claims.some(({ kind }) => kind === 'instance');
      if (isEmpty && !named.includes(scope)) scopeCosts.delete(scope);
    }
  },
  list: async (estate) => {
    const { scopes, scopeCosts } = estateOf(memory, estate);
    const looked = [...scopes].flatMap(([scope, { looked: look }]) => (look === undefined ? [] : [scope]));
    return [...new Set([...looked, ...scopeCosts.keys()])].sort(compareText).map((scope) => {
      const cost = structuredClone(scopeCosts.get(scope));
      return cost === undefined ? { scope } : { scope, cost };
    });
  },
});

function memoryRollouts(memory: Memory, clock: Clock): Rollouts {
  const of = (where: Where): RolloutMemory => {
    const found = memory.fleet.rollouts.get(whereKey(where));
    if (found) return found;
    const made = { standing: 0, butGraces: 0, inGrace: new Set<string>(), stopped: new Map() };
    memory.fleet.rollouts.set(whereKey(where), made);
    return made;
  };
  const scopeAt = ({ estate, scope }: Where) => scopeOf(estateOf(memory, estate), scope);
  return {
    standing: async (where) => of(where).standing,
    any: async () => [...memory.fleet.rollouts.values()].some(({ standing }) => standing > 0),
    standingButGraces: async (where) => {
      const { standing, butGraces, inGrace } = of(where);
      return { generation: Math.max(standing, butGraces), inGrace: [...inGrace].toSorted() };
    },
    stand: async (where, generation, inGrace = []) => {
      const one = of(where);
      if (inGrace.length > 0) {
        one.butGraces = Math.max(one.butGraces, generation);
        for (const address of inGrace) one.inGrace.add(address);
      } else if (one.standing < generation) {
        one.standing = generation;
        one.inGrace.clear();
      }
    },
    stopped: async (where) =>
      unitedStops([...of(where).stopped.values()], stoppedByBirths(readBirths(scopeAt(where), of(where)))),
    stop: async (where, rollout) => {
      const { stopped } = of(where);
      const before = stopped.get(rollout.document);
      if (before === undefined || before.generation <= rollout.generation) stopped.set(rollout.document, rollout);
    },
    resume: async (where, by, document) => {
      const { stopped } = of(where);
      const stops = [...stopped.keys()].filter((one) => document === undefined || one === document);
      for (const one of stops) stopped.delete(one);
      const documents = [...new Set([...stops, ...forgiveBirths(scopeAt(where), document)])].sort();
      if (documents.length === 0) return;
      const body = noteBody(where.estate, rolloutNote(where, documents, by));
      append(estateOf(memory, where.estate), { at: clock.now(), type: 'note', body });
    },
  };
}

export const memoryFleet = (memory: Memory, clock: Clock): FleetState => ({
  specSnapshots: specSnapshots(memory),
  requests: requests(memory),
  pauses: memoryPauses(memory, clock),
  patches: memoryPatches(memory, clock),
  lifetimes: memoryLifetimes(memory, clock),
  approvals: memoryApprovals(memory, clock),
  rollouts: memoryRollouts(memory, clock),
  quarantine: quarantine(memory, clock),
  backoffs: memoryBackoffs(memory, clock),
  counts: memoryScopeCounts(memory, clock),
  costs: memoryScopeCosts(memory),
  fights: memoryFights(memory, clock),
  resourceNotes: memoryResourceNotes(memory, clock),
});

const specSnapshots = ({ fleet }: Memory): SpecSnapshots => ({
  keep: async (estate, revision, tree) => {
    const key = `${estate} ${revision}`;
    if (!fleet.specSnapshots.has(key)) fleet.specSnapshots.set(key, structuredClone(tree));
  },
  read: async (estate, revision) => structuredClone(fleet.specSnapshots.get(`${estate} ${revision}`)),
});

const requests = (memory: Memory): Requests => ({
  ask: async (where, reason) => {
    const { request, answered } = memory.fleet.requests.get(whereKey(where)) ?? { request: 0, answered: 0 };
    memory.fleet.requests.set(whereKey(where), { where, request: request + 1, answered, reason });
  },
  pendingState: async (where) => {
    const generation = newestNumber(memory, where.estate);
    const asked = memory.fleet.requests.get(whereKey(where));
    if (!asked || asked.request <= asked.answered) return { request: 0, generation };
    return { request: asked.request, reason: asked.reason, generation };
  },
  unanswered: async () =>
    [...memory.fleet.requests]
      .filter(([, { request, answered }]) => request > answered)
      .map(([, { where }]) => where)
      .sort((a, b) => (whereKey(a) < whereKey(b) ? -1 : 1)),
  answered: async (where, request) => {
    const asked = memory.fleet.requests.get(whereKey(where));
    if (asked && asked.answered < request && request <= asked.request)
      memory.fleet.requests.set(whereKey(where), { ...asked, answered: request });
  },
});

const quarantine = (memory: Memory, clock: Clock): Quarantine => ({
  put: async ({ estate, scope }, why, generation) => {
    const { quarantine } = memory.fleet;
    const key = whereKey({ estate, scope });
    const before = quarantine.get(key);
    const since = before?.generation === generation ? before.since : clock.now();
    quarantine.set(key, { estate, scope, why, since, generation });
  },
  list: async (estate) =>
    [...memory.fleet.quarantine.values()]
      .filter((one) => estate === undefined || one.estate === estate)
      .filter((one) => one.generation >= newestNumber(memory, one.estate))
      .sort((a, b) => (whereKey(a) < whereKey(b) ? -1 : 1)),
  release: async (where, by) => {
    const held = memory.fleet.quarantine.get(whereKey(where));
    if (held && by) {
      const body = noteBody(where.estate, quarantineNote(held, by));
      append(estateOf(memory, where.estate), { at: clock.now(), type: 'note', body });
    }
    memory.fleet.quarantine.delete(whereKey(where));
  },
});

const newestNumber = (memory: Memory, estate: string): number =>
  estateOf(memory, estate).generations.at(-1)?.number ?? 0;
