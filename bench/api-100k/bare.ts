import pg from 'pg';
import type { Ask } from './ask.ts';
import type { Question } from './questions.ts';

type Filter = Question['filter'];

/** The query of a filtered page as one who knows the indexes writes it, on connections that are open: what any answer costs at least. */
export async function askBare(config: pg.ClientConfig): Promise<{ readonly ask: Ask; end(): Promise<void> }> {
  const pool = new pg.Pool({ ...config, max: 10 });
  pool.on('error', () => {});
  return {
    ask: async ({ filter, rows: count }) => {
      const conditions = conditionsOf(filter);
      const where = conditions.map(([text], index) => text.replaceAll('?', `$${index + 1}`));
      const { rowCount } = await pool.query(
        `SELECT estate, since, body FROM setpoint.versions WHERE ${['current', ...where].join(' AND ')}
         ORDER BY scope, key, estate LIMIT 100`,
        conditions.map(([, value]) => value),
      );
      if (rowCount !== count) throw new Error(`${rowCount} rows and not ${count}: ${JSON.stringify(filter)}`);
    },
    end: () => pool.end(),
  };
}

/** Each with a ? where its value goes. */
const conditionsOf = ({ labels, clouds, ...filter }: Filter): readonly (readonly [string, unknown])[] => [
  ...oneOf('cloud', clouds),
  ...(clouds ?? []).map((cloud) => ["scope > ? || '/' AND scope < ? || '0'", cloud] as const),
  ...oneOf('account', filter.accounts),
  ...oneOf('region', filter.regions),
  ...oneOf('kind', filter.kinds),
  ...oneOf('status', filter.statuses),
  ...oneOf('owner', filter.owners),
  ...(labels === undefined ? [] : [['labels @> ?', JSON.stringify(labels)] as const]),
];

function oneOf(column: string, values: readonly string[] | undefined): readonly (readonly [string, unknown])[] {
  if (values === undefined) return [];
  return values.length === 1 ? [[`${column} = ?`, values[0]]] : [[`${column} = ANY(?)`, values]];
}
