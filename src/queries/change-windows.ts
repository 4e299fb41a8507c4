import { type Bounds, seesAll } from '../core/access/grant.ts';
import { type CalendarEntry, entriesAt } from '../core/change-windows.ts';
import type { PauseSubject } from '../core/pause.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { BreakGlass, WindowAnswers } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';
import { openActiveSpec, type QueryContext } from './active-estate.ts';
import { subjectWithin } from './visible-plans.ts';

/** Callers see the windows and freezes of all owners and targets, and of those that they see. */
export const windowsOn = (grounds: QueryContext): WindowAnswers => ({
  list: async ({ estate: name, seen }) => {
    const { estate } = await openActiveSpec(name, grounds);
    const entries = await calendarOf(name, grounds.store);
    const all = seesAll(seen, name);
    return {
      entries: all ? entries : entries.flatMap((entry) => visibleEntry(entry, seen, estate)),
      ...(all ? { breakGlass: await recentBreakGlass(name, grounds.store) } : {}),
    };
  },
});

function visibleEntry(
  { owners, targets, ...entry }: CalendarEntry,
  seen: readonly Bounds[],
  estate: OpenedEstate,
): readonly CalendarEntry[] {
  const sees = (by: 'owner' | 'target') => (name: string) => {
    const subject: PauseSubject = { by, name };
    return subjectWithin(seen, subject, estate);
  };
  const visible = { owners: owners?.filter(sees('owner')), targets: targets?.filter(sees('target')) };
  const isHidden = visible.owners?.length === 0 || visible.targets?.length === 0;
  if (isHidden || (entry.target !== undefined && !sees('target')(entry.target))) return [];
  return [{ ...entry, ...visible }];
}

/** The windows and freezes of the newest generation that are not over, by the store's clock. */
export async function calendarOf(
  estate: string,
  { generations, ledger }: Pick<Store, 'generations' | 'ledger'>,
): Promise<readonly CalendarEntry[]> {
  const current = await generations.current(estate);
  const calendar = current?.guards.calendar;
  return calendar === undefined ? [] : entriesAt(calendar, await ledger.now());
}

const recentMs = 7 * 86_400_000;
const mostNotes = 1000;

/** Those of the last seven days, newest first. */
export async function recentBreakGlass(
  estate: string,
  { entryPages, ledger }: Pick<Store, 'entryPages' | 'ledger'>,
): Promise<readonly BreakGlass[]> {
  const since = (await ledger.now()) - recentMs;
  const filter = { types: ['note'], since } as const;
  const { entries } = await entryPages.page({ estate, filter, newestFirst: true, limit: mostNotes });
  return entries.flatMap(({ seq, at, body }) => {
    const said = fieldsOf(fieldsOf(body['note'])['breakGlass']);
    const { person, reason, changes } = said;
    if (typeof person !== 'string') return [];
    return [{ seq, at, person, reason: String(reason), changes: Number(changes) }];
  });
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
