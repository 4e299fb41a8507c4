/** PostgreSQL takes 65,535 parameters a statement; our widest table has 13 columns. */
const rowsAtOnce = 2000;

/** Runs `write` for at most so many rows at a time, one after the other; not at all for none. */
export async function inChunks<T>(rows: readonly T[], write: (chunk: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) await write(rows.slice(start, start + rowsAtOnce));
}
