import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { FleetState, Quarantine, Requests, Trees } from '../../../src/ports/fleet-state.ts';
import { noteBody, quarantineNote } from '../../../src/store/ledger-entries.ts';
import { memoryApprovals } from './approvals.ts';
import { memoryBackoffs } from './backoffs.ts';
import { whereKey } from './fleet-memory.ts';
import { append, estateOf, type Memory } from './memory.ts';
import { memoryPauses } from './pauses.ts';
import { memoryRollouts } from './rollouts.ts';
import { memoryScopeCounts } from './scope-counts.ts';

export const memoryFleet = (memory: Memory, clock: Clock): FleetState => ({
  trees: trees(memory),
  requests: requests(memory),
  pauses: memoryPauses(memory, clock),
  approvals: memoryApprovals(memory, clock),
  rollouts: memoryRollouts(memory, clock),
  quarantine: quarantine(memory, clock),
  backoffs: memoryBackoffs(memory, clock),
  counts: memoryScopeCounts(memory, clock),
});

const trees = ({ fleet }: Memory): Trees => ({
  keep: async (estate, revision, tree) => {
    const key = `${estate} ${revision}`;
    if (!fleet.trees.has(key)) fleet.trees.set(key, structuredClone(tree));
  },
  read: async (estate, revision) => structuredClone(fleet.trees.get(`${estate} ${revision}`)),
});

const requests = (memory: Memory): Requests => ({
  ask: async (where, reason) => {
    const { wish, answered } = memory.fleet.requests.get(whereKey(where)) ?? { wish: 0, answered: 0 };
    memory.fleet.requests.set(whereKey(where), { where, wish: wish + 1, answered, reason });
  },
  pulse: async (where) => {
    const generation = newestNumber(memory, where.estate);
    const asked = memory.fleet.requests.get(whereKey(where));
    if (!asked || asked.wish <= asked.answered) return { wish: 0, generation };
    return { wish: asked.wish, reason: asked.reason, generation };
  },
  unanswered: async () =>
    [...memory.fleet.requests]
      .filter(([, { wish, answered }]) => wish > answered)
      .map(([, { where }]) => where)
      .sort((a, b) => (whereKey(a) < whereKey(b) ? -1 : 1)),
  answered: async (where, wish) => {
    const asked = memory.fleet.requests.get(whereKey(where));
    if (asked && asked.answered < wish && wish <= asked.wish)
      memory.fleet.requests.set(whereKey(where), { ...asked, answered: wish });
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
