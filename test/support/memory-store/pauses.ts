import { canonical } from '../../../src/core/ledger/canonical.ts';
import type { Held } from '../../../src/core/pause.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Pauses } from '../../../src/ports/fleet-state.ts';
import { noteBody, pauseNote, resumeNote } from '../../../src/store/ledger-entries.ts';
import type { PauseMemory } from './fleet-memory.ts';
import { append, estateOf, type Memory } from './memory.ts';

export function memoryPauses(memory: Memory, clock: Clock): Pauses {
  const { pauses } = memory.fleet;
  const note = (name: string, said: Readonly<Record<string, unknown>>) =>
    append(estateOf(memory, name), { at: clock.now(), type: 'note', body: noteBody(name, said) });
  const inForce = (name: string): readonly PauseMemory[] =>
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
      const ending = inForce(estate).filter(({ pause }) => holds(pause) === holds(held));
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
    inForce: async (estate) => inForce(estate).map(({ pause }) => pause),
  };
}

const holds = ({ what, of }: Held): string => canonical({ what, of });
