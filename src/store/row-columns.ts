import { type Row, rowRefs } from '../core/inventory/row.ts';
import type { Where } from '../ports/queue.ts';
import type { WrittenRow } from './row-changes.ts';
import { storableJson } from './statements.ts';

/** What every new version has a value for; `estate`, `scope` and `began` are of the look. */
export const writtenColumns = [
  'estate',
  'scope',
  'key',
  'cloud',
  'account',
  'region',
  'kind',
  'status',
  'claim',
  'owner',
  'targets',
  'labels',
  'name',
  'address',
  'id',
  'since',
  'generation',
  'cause',
  'began',
  'digest',
  'words',
  'refs',
  'body',
] as const;

type WrittenColumns = Readonly<Record<Exclude<(typeof writtenColumns)[number], 'body'>, unknown>>;

interface LookPlace extends Where {
  readonly at: number;
}

/** A list of objects with these columns, as JSON that PostgreSQL takes. */
export const columnsJson = (rows: readonly WrittenRow[], look: LookPlace): string =>
  storableJson(
    `[${rows.map((row) => `${JSON.stringify(columnsOf(row, look)).slice(0, -1)},"body":${row.text}}`).join(',')}]`,
  );

function columnsOf({ key, row, since, digest }: WrittenRow, { estate, scope, at }: LookPlace): WrittenColumns {
  const { place, called, whose, state, sides } = row;
  const { cloud, account, region, kind, targets } = place;
  return {
    ...{ estate, scope, key, cloud, account, region, kind, targets, since, digest },
    status: state.status,
    generation: state.generation,
    claim: whose.claim,
    owner: whose.owner ?? '',
    labels: called.labels,
    name: called.name,
    address: called.address ?? null,
    id: called.id ?? null,
    cause: sides.next?.cause ?? null,
    began: at,
    words: wordsOf(row),
    refs: rowRefs(row),
  };
}

/** One to a line, so that a search can tell what runs from one into the next. */
const wordsOf = ({ called: { address = '', name, id = '', labels } }: Row): string =>
  [address, name, id, ...Object.values(labels)].join('\n').toLowerCase();
