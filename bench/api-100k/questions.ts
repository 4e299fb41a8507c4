import type { RowFilter, RowWords } from '../../src/ports/rows.ts';
import { grounds, rowAt } from './estate.ts';

type Filter = RowFilter & Pick<RowWords, 'text' | 'labels'>;

/** `rows`: how many the answer has, so that none is quick by being empty. */
export interface Question {
  readonly sort: 'page' | 'past' | 'text' | 'one';
  readonly filter: Filter;
  /** Of one resource. */
  readonly of?: string;
  readonly rows: number;
}

/** Broad and narrow, at the beginning of the order and behind it. Each has more than a page of lines. */
const filters: readonly Filter[] = [
  { clouds: ['gcp'], kinds: ['instance'] },
  { kinds: ['firewall-rule'], statuses: ['InSync'] },
  { accounts: ['azure-account-4'] },
  { owners: ['team-7'] },
  { clouds: ['azure'], statuses: ['Unmanaged'] },
  { regions: ['sa-east-1'], kinds: ['instance'] },
  { statuses: ['Drifted', 'Failed'] },
  { clouds: ['aws'], labels: { env: 'test' } },
];

/** Of an address, an id, a name and a label; common and rare. */
const texts: readonly (readonly [string, number])[] = [
  ['web', 100],
  ['db-19', 100],
  ['TIER-3', 100],
  ['batch-1999', 50],
  ['azure-account-3/eastus/network', 100],
  ['ins-gcp-account-2-asia-east1-c-000003', 74],
  ['not to be found', 0],
];

/** Of ten requests four are pages, two pages of a month back, two searches and two single resources. */
export function questionAt(index: number): Question {
  const round = Math.floor(index / 10);
  const filter = filters[index % filters.length] ?? {};
  switch (index % 10) {
    case 1:
    case 6:
      return {
        sort: 'past',
        filter: filters[(round * 2 + (index % 10 === 1 ? 0 : 1)) % filters.length] ?? {},
        rows: 100,
      };
    case 3:
    case 8: {
      const [text, rows] = texts[(round * 2 + (index % 10 === 3 ? 0 : 1)) % texts.length] ?? ['web', 100];
      return { sort: 'text', filter: { text }, rows };
    }
    case 4:
    case 9:
      return { sort: 'one', filter: {}, of: addressAt(index), rows: 1 };
    default:
      return { sort: 'page', filter, rows: 100 };
  }
}

/** Spread over all scopes; of ours, of which each has an address. */
function addressAt(index: number): string {
  const ground = grounds[(index * 7) % grounds.length];
  const row = ground && rowAt(ground, ((index * 131) % 400) * 5, 0);
  if (row?.called.address === undefined) throw new Error('no row to ask for');
  return row.called.address;
}
