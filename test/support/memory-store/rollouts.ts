import type { Clock } from '../../../src/ports/clock.ts';
import type { Rollouts } from '../../../src/ports/fleet-state.ts';
import type { Where } from '../../../src/ports/queue.ts';
import { noteBody } from '../../../src/store/entry-body.ts';
import { rolloutNote } from '../../../src/store/fleet-notes.ts';
import { type RolloutMemory, whereKey } from './fleet-memory.ts';
import { append, estateOf, type Memory } from './memory.ts';

export function memoryRollouts(memory: Memory, clock: Clock): Rollouts {
  const of = (where: Where): RolloutMemory => {
    const found = memory.fleet.rollouts.get(whereKey(where));
    if (found) return found;
    const made = { standing: 0, stopped: new Map() };
    memory.fleet.rollouts.set(whereKey(where), made);
    return made;
  };
  return {
    standing: async (where) => of(where).standing,
    any: async () => [...memory.fleet.rollouts.values()].some(({ standing }) => standing > 0),
    stand: async (where, generation) => {
      of(where).standing = Math.max(of(where).standing, generation);
    },
    stopped: async (where) => [...of(where).stopped.values()].sort((a, b) => (a.document < b.document ? -1 : 1)),
    stop: async (where, rollout) => {
      const { stopped } = of(where);
      const before = stopped.get(rollout.document);
      if (before === undefined || before.generation <= rollout.generation) stopped.set(rollout.document, rollout);
    },
    resume: async (where, by, document) => {
      const { stopped } = of(where);
      const documents = [...stopped.keys()].filter((one) => document === undefined || one === document).sort();
      for (const one of documents) stopped.delete(one);
      if (documents.length === 0) return;
      const body = noteBody(where.estate, rolloutNote(where, documents, by));
      append(estateOf(memory, where.estate), { at: clock.now(), type: 'note', body });
    },
  };
}
