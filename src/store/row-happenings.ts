import type { HappeningDraft } from '../ports/happenings.ts';
import type { Where } from '../ports/queue.ts';
import type { EndedRow } from './keep-rows.ts';
import type { WrittenRow } from './row-changes.ts';
import { storableText } from './storable.ts';

/** More changes than this at once are told as how many they are: who watches looks anew then. */
const mostTold = 1000;

/** One for each changed line; for a great many at once one for each owner and targets, so that all who may see them hear of it. */
export function rowHappenings(
  { estate, scope }: Where,
  written: readonly WrittenRow[],
  gone: readonly EndedRow[],
): readonly HappeningDraft[] {
  const changed = [...written.map(writtenAbout), ...gone.map(goneAbout)];
  if (changed.length <= mostTold)
    return changed.map(({ about, ...whose }) => ({ estate, type: 'resource', ...whose, about: { ...about, scope } }));
  const groups = Map.groupBy(changed, ({ targets, owner }) => JSON.stringify([targets, owner]));
  return [...groups.values()].slice(0, mostTold).flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const { targets, owner } = first;
    return { estate, type: 'resource', targets, owner, about: { scope, changed: 1 + rest.length } };
  });
}

interface Changed {
  readonly targets: readonly string[];
  readonly owner: string;
  readonly about: Readonly<Record<string, unknown>>;
}

const writtenAbout = ({ key, row: { place, called, whose, state }, was }: WrittenRow): Changed => ({
  targets: place.targets.map(storableText),
  owner: storableText(whose.owner ?? ''),
  about: {
    key,
    ...aboutCalled(called),
    kind: place.kind,
    status: state.status,
    ...(was === undefined ? {} : { was }),
    reason: state.reason.slice(0, 500),
  },
});

const goneAbout = ({ key, kind, status, address, id, targets, owner }: EndedRow): Changed => ({
  targets,
  owner,
  about: {
    key,
    ...aboutCalled({ ...(address === null ? {} : { address }), ...(id === null ? {} : { id }) }),
    kind,
    was: status,
    gone: true,
  },
});

const aboutCalled = ({ address, id }: { readonly address?: string; readonly id?: string }) => ({
  ...(address === undefined ? {} : { address }),
  ...(id === undefined ? {} : { id }),
});
