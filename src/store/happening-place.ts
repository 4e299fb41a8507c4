/** Where one stands among all: by its transaction, then by its number in the database. */
export interface Position {
  readonly tx: bigint;
  readonly number: bigint;
}

/** `<database>-<tx><number>` in hexadecimal digits of fixed width, so that places of one database sort as texts. */
export const placeOf = (database: string, { tx, number }: Position): string => `${database}-${hex(tx)}${hex(number)}`;

/** Undefined: not one of this database's. */
export function positionOf(database: string, place: string): Position | undefined {
  const [, of, tx = '', number = ''] = /^([0-9a-f]+)-([0-9a-f]{16})([0-9a-f]{16})$/.exec(place) ?? [];
  if (of !== database) return undefined;
  const position = { tx: BigInt(`0x${tx}`), number: BigInt(`0x${number}`) };
  return position.number > mostBigint ? undefined : position;
}

/** https://www.postgresql.org/docs/current/datatype-numeric.html */
const mostBigint = 2n ** 63n - 1n;

const hex = (value: bigint): string => value.toString(16).padStart(16, '0');
