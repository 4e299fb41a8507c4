import type { Kind } from '../core/resource.ts';
import type { RowLook } from '../ports/rows.ts';
import type { Database } from './tables.ts';

export async function looksOf(db: Database, estate: string | undefined): Promise<readonly RowLook[]> {
  const all = db.selectFrom('row_looks').select(['estate', 'scope', 'at', 'gaps']).where('left_at', 'is', null);
  const these = estate === undefined ? all : all.where('estate', '=', estate);
  const looks = await these.orderBy('estate').orderBy('scope').execute();
  // why: only `keepRows` writes the column
  return looks.map((look) => ({ ...look, gaps: look.gaps as readonly Kind[] }));
}
