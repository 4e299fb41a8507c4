import { canonical } from '../core/ledger/canonical.ts';
import type { LedgerEntry } from '../ports/ledger.ts';

/** An entry as it stands in an export: with whose chain it belongs to, on one line. */
export const exportLine = (store: string, estate: string, entry: LedgerEntry): string =>
  canonical({ store, estate, ...entry });
