import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Rollouts } from '../../../src/ports/fleet-state.ts';
import type { Where } from '../../../src/ports/queue.ts';
import { stoppedByBirths } from '../../../src/store/births.ts';
import { noteBody, rolloutNote } from '../../../src/store/ledger-entries.ts';
import { unitedStops } from '../../../src/store/rollouts.ts';
import { forgiveBirths, readBirths } from './births.ts';
import { type RolloutMemory, whereKey } from './fleet-memory.ts';
import { append, estateOf, type Memory, scopeOf } from './memory.ts';

export function memoryRollouts(memory: Memory, clock: Clock): Rollouts {
  const of = (where: Where): RolloutMemory => {
    const found = memory.fleet.rollouts.get(whereKey(where));
    if (found) return found;
    const made = { standing: 0, stopped: new Map() };
    memory.fleet.rollouts.set(whereKey(where), made);
    return made;
  };
  const scopeAt = ({ estate, scope }: Where) => scopeOf(estateOf(memory, estate), scope);
  return {
    standing: async (where) => of(where).standing,
    any: async () => [...memory.fleet.rollouts.values()].some(({ standing }) => standing > 0),
    stand: async (where, generation) => {
      of(where).standing = Math.max(of(where).standing, generation);
    },
    stopped: async (where) => unitedStops([...of(where).stopped.values()], stoppedByBirths(readBirths(scopeAt(where)))),
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
