import { canonical } from '../core/ledger/canonical.ts';
import type { LedgerItem } from '../core/ledger/verification.ts';

/** An entry or the seal as it stands in an export: with store and estate, on one line. */
export const exportLine = (store: string, estate: string, item: LedgerItem): string =>
  canonical({ store, estate, ...item });
