import { type RawBuilder, sql } from 'kysely';

/** The database's clock, ms since the epoch: between processes only its time counts. */
export const storeNow: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
