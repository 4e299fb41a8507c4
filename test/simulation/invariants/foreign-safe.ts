import type { ChangeEntry } from '../../../providers/memory/cloud/history.ts';
import { type Invariant, unique } from './invariant.ts';
import { makersOf } from './ownership.ts';

/** We change nothing that people made, unless it is a rule in a group that we made. A copied mark changes nothing. */
export const foreignSafe: Invariant = {
  number: 4,
  name: 'foreign-safe',
  broken: (trace) => {
    const makers = makersOf(trace);
    const isForeign = ({ id, before, after }: ChangeEntry): boolean => {
      const record = after ?? before;
      const owned = record && 'match' in record ? record.group : id;
      return makers.get(owned) === 'outside';
    };
    return unique(
      trace.cloud.history.changes
        .filter((change) => change.caller !== 'outside' && isForeign(change))
        .map(({ caller, id }) => `${caller} changed ${id}, which people made`),
    );
  },
};
