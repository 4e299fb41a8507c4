import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Proposals } from '../../../src/ports/queries.ts';
import type { Authors, Move } from '../../../src/ports/sources.ts';
import { estateOf, type Memory } from './memory.ts';

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
  tell: async (move, { names, more }) => {
    const { authors } = memory.proposals;
    const known = authors.get(keyOf(move)) ?? { names: new Set(), more: false };
    for (const name of names) known.names.add(name);
    known.more ||= more;
    authors.set(keyOf(move), known);
  },
  since: async (estate, generation, most) =>
    estateOf(memory, estate)
      .generations.filter(({ number }) => number > generation)
      .slice(0, most)
      .map(({ number, revision }) => {
        const told = memory.proposals.authors.get(keyOf({ estate, revision, after: number - 1 }));
        return {
          generation: number,
          ...(told === undefined ? {} : { told: { names: [...told.names].sort(), more: told.more } }),
        };
      }),
});

const keyOf = ({ estate, revision, after }: Move): string => JSON.stringify([estate, revision, after]);
