import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Generation } from '../../../src/ports/knowledge.ts';
import type { Proposals } from '../../../src/ports/queries.ts';
import type {
  Authors,
  GenerationAuthors,
  Histories,
  Move,
  Pins,
  Rewriting,
  SourceStates,
  Sources,
  WakeUps,
} from '../../../src/ports/sources.ts';
import { historyNote, noteBody, pinNote, unpinNote } from '../../../src/store/ledger-entries.ts';
import { append, estateOf, type Memory } from './memory.ts';

export function memorySources(memory: Memory, clock: Clock): Sources {
  const note: Note = (name, said) =>
    append(estateOf(memory, name), { at: clock.now(), type: 'note', body: noteBody(name, said) });
  return {
    states: states(memory, clock),
    pins: pins(memory, clock, note),
    histories: histories(memory, note),
    wakeUps: wakeUps(memory),
  };
}

type Note = (estate: string, said: Readonly<Record<string, unknown>>) => number;

function states({ sources }: Memory, clock: Clock): SourceStates {
  return {
    record: async (estate, draft) => {
      const told = sources.states.get(estate) ?? new Map();
      const before = told.get(draft.source);
      const stays = before?.state === draft.state && before.head === draft.head;
      told.set(draft.source, { ...draft, since: stays ? before.since : clock.now() });
      sources.states.set(estate, told);
    },
    list: async (estate) =>
      [...(sources.states.get(estate)?.values() ?? [])].sort((a, b) => (a.source < b.source ? -1 : 1)),
  };
}

const pins = ({ sources }: Memory, clock: Clock, note: Note): Pins => ({
  pin: async (estate, revision, by) => {
    const pin = { revision, by: { ...by }, at: clock.now() };
    sources.pins.set(estate, pin);
    note(estate, pinNote(pin));
    return pin;
  },
  current: async (estate) => sources.pins.get(estate),
  unpin: async (estate, by) => {
    const ended = sources.pins.get(estate);
    if (ended === undefined) return undefined;
    sources.pins.delete(estate);
    note(estate, unpinNote(ended.revision, by));
    return ended;
  },
});

function histories({ sources }: Memory, note: Note): Histories {
  const key = (estate: string, { head, after }: Rewriting): string => `${estate} ${head} ${after}`;
  return {
    accept: async (estate, move, by) => {
      if (sources.histories.has(key(estate, move))) return;
      sources.histories.add(key(estate, move));
      note(estate, historyNote(move.head, by));
    },
    isAccepted: async (estate, move) => sources.histories.has(key(estate, move)),
  };
}

const wakeUps = ({ sources }: Memory): WakeUps => ({
  add: async (estate) => void sources.wakeUps.set(estate, (sources.wakeUps.get(estate) ?? 0) + 1),
  count: async (estate) => sources.wakeUps.get(estate) ?? 0,
});

export const memoryProposals = ({ proposals }: Memory, clock: Clock): Proposals => {
  const alive = () => proposals.kept.filter(({ head }) => head.times.until > clock.now());
  return {
    keep: async (proposal, most) => {
      const all = [...alive(), structuredClone(proposal)];
      const its = all.filter(({ head }) => head.estate === proposal.head.estate).slice(-most);
      proposals.kept = all.filter((one) => one.head.estate !== proposal.head.estate || its.includes(one));
    },
    read: async (id) => structuredClone(alive().find(({ head }) => head.id === id)),
    list: async ({ estate, by, after, limit }) => {
      const its = alive()
        .map(({ head }) => head)
        .filter((head) => head.estate === estate)
        .toReversed();
      const older = after === undefined ? its : its.slice(its.findIndex(({ id }) => id === after) + 1);
      return older.filter((head) => by === undefined || head.by.caller === by).slice(0, limit);
    },
  };
};

export const memoryAuthors = (memory: Memory): Authors => ({
  record: async (move, { names, more }) => {
    const { authors } = memory.proposals;
    const known = authors.get(keyOf(move)) ?? { names: new Set(), more: false };
    for (const name of names) known.names.add(name);
    known.more ||= more;
    authors.set(keyOf(move), known);
  },
  since: async (estate, generation, most) =>
    authorsIn(memory, estate, ({ number }) => number > generation).slice(0, most),
  of: async (estate, generations) => authorsIn(memory, estate, ({ number }) => generations.includes(number)),
});

const authorsIn = (
  memory: Memory,
  estate: string,
  isAsked: (generation: Generation) => boolean,
): readonly GenerationAuthors[] =>
  estateOf(memory, estate)
    .generations.filter(isAsked)
    .map(({ number, revision }) => {
      const found = memory.proposals.authors.get(keyOf({ estate, revision, after: number - 1 }));
      return {
        generation: number,
        ...(found === undefined ? {} : { authors: { names: [...found.names].sort(), more: found.more } }),
      };
    });

const keyOf = ({ estate, revision, after }: Move): string => JSON.stringify([estate, revision, after]);
