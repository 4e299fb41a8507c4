import type { Origin } from '../../core/inventory/ownership.ts';
import type { KeptRow, Rows } from '../../ports/rows.ts';
import { askedEstate } from './asked-estate.ts';
import type { NextAttempts } from './next-attempts.ts';
import type { Circumstance } from './route.ts';

export interface InventoryDesk {
  readonly rows: Pick<Rows, 'page' | 'find' | 'history' | 'looks'>;
  readonly nextAttempts: NextAttempts;
  estates(): Promise<readonly string[]>;
  /** Which line of the specs in force decided each field of what is wanted. */
  origins(row: KeptRow): Promise<readonly Origin[]>;
}

/** One that is named must be seen; else all that are seen are meant. */
export const seenEstate = async (
  asked: string | undefined,
  { caller }: Pick<Circumstance, 'caller'>,
  { estates }: Pick<InventoryDesk, 'estates'>,
): Promise<string | undefined> =>
  asked === undefined ? undefined : askedEstate({ asked, in: 'query', needs: 'read' }, caller, estates);
