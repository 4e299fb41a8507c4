import pg from 'pg';
import type { Ask } from './ask.ts';

/** What a filter asks of the column of that name. */
const columns = {
  clouds: 'cloud',
  accounts: 'account',
  regions: 'region',
  kinds: 'kind',
  statuses: 'status',
  owners: 'owner',
} as const;

/** The query of a filtered page as a person would write it, on connections that are open: what any answer costs at least. */
export async function askBare(config: pg.ClientConfig): Promise<{ readonly ask: Ask; end(): Promise<void> }> {
  const pool = new pg.Pool({ ...config, max: 10 });
  pool.on('error', () => {});
  return {
    ask: async ({ filter, rows: count }) => {
      const values: unknown[] = [];
      const conditions = ['current'];
      for (const [name, column] of Object.entries(columns)) {
        const wanted = Object.entries(filter).find(([key]) => key === name)?.[1];
        if (!Array.isArray(wanted)) continue;
        values.push(wanted.length === 1 ? wanted[0] : wanted);
        conditions.push(wanted.length === 1 ? `${column} = $${values.length}` : `${column} = ANY($${values.length})`);
      }
      if (filter.labels !== undefined) {
        values.push(JSON.stringify(filter.labels));
        conditions.push(`labels @> $${values.length}`);
      }
      const { rowCount } = await pool.query(
        `SELECT estate, since, body FROM setpoint.versions WHERE ${conditions.join(' AND ')} ORDER BY key, estate, scope LIMIT 100`,
        values,
      );
      if (rowCount !== count) throw new Error(`${rowCount} rows and not ${count}: ${JSON.stringify(filter)}`);
    },
    end: () => pool.end(),
  };
}
