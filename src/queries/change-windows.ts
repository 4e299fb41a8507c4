import { type CalendarEntry, entriesAt } from '../core/change-windows.ts';
import type { Store } from '../ports/store.ts';

/** The windows and freezes of the newest generation that are not over, by the store's clock. */
export async function calendarOf(
  estate: string,
  { generations, ledger }: Pick<Store, 'generations' | 'ledger'>,
): Promise<readonly CalendarEntry[]> {
  const current = await generations.current(estate);
  const calendar = current?.guards.calendar;
  return calendar === undefined ? [] : entriesAt(calendar, await ledger.now());
}

/** A person let changes pass windows and freezes. `seq`: of the entry in the ledger, which names them. */
export interface BreakGlass {
  readonly seq: number;
  readonly at: number;
  readonly person: string;
  readonly reason: string;
  readonly changes: number;
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
