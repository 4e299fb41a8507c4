import type { HappeningDraft } from '../ports/happenings.ts';
import type { Where } from '../ports/queue.ts';
import type { Whose } from '../ports/whose.ts';
import type { EndedRow } from './keep-rows.ts';
import type { WrittenRow } from './row-changes.ts';
import { storableText } from './statements.ts';

/** More changes than this at once are told as how many they are: who watches looks anew then. */
const mostTold = 1000;

/** `replaced`: what was told until now of those of the written that are not new. */
export interface ChangedRows {
  readonly written: readonly WrittenRow[];
  readonly replaced: readonly EndedRow[];
  readonly gone: readonly EndedRow[];
}

/**
 * One for each changed line; for a great many at once one for each owner and targets, so that all who may see them hear of it.
 * Of a line that is of another owner or of other targets now, whoever may see it no more is told that it is gone.
 */
export function rowHappenings({ estate, scope }: Where, rows: ChangedRows): readonly HappeningDraft[] {
  const changed = [...rows.written.map(writtenAbout), ...lostSight(rows), ...rows.gone.map(goneAbout)];
  if (changed.length <= mostTold)
    return changed.map(({ about, ...whose }) => ({ estate, type: 'resource', ...whose, about: { ...about, scope } }));
  const groups = Map.groupBy(changed, ({ targets, owner, notTo }) => JSON.stringify([targets, owner, notTo]));
  return [...groups.values()].slice(0, mostTold).flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const { about: _, ...whose } = first;
    return { estate, type: 'resource', ...whose, about: { scope, changed: 1 + rest.length } };
  });
}

type Changed = Whose & Pick<HappeningDraft, 'about' | 'notTo'>;

const writtenAbout = ({ key, row, row: { place, called, state }, was }: WrittenRow): Changed => ({
  ...whoseIs(row),
  about: {
    key,
    ...aboutCalled(called),
    kind: place.kind,
    status: state.status,
    ...(was === undefined ? {} : { was }),
    reason: state.reason.slice(0, 500),
  },
});

const whoseIs = ({ place, whose }: WrittenRow['row']): Whose => ({
  targets: place.targets.map(storableText),
  owner: storableText(whose.owner ?? ''),
});

function lostSight({ written, replaced }: ChangedRows): readonly Changed[] {
  const now = new Map(written.map(({ key, row }) => [key, whoseIs(row)]));
  return replaced.flatMap((before) => {
    const notTo = now.get(before.key);
    const isOfOthers = notTo !== undefined && textOf(notTo) !== textOf(before);
    return isOfOthers ? { ...goneAbout(before), notTo } : [];
  });
}

const textOf = ({ targets, owner }: Whose): string => JSON.stringify([targets, owner]);

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
