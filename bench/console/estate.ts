import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Row } from '../../src/core/inventory/row.ts';
import type { Store } from '../../src/ports/store.ts';
import { type DatabaseServer, openStore } from '../../src/store/open-store.ts';
import { realClock } from '../../test/cli/support/in-process.ts';
import { guardsOf } from '../../test/store/fixtures.ts';
import { rowAt } from '../api-100k/estate.ts';
import { inScratch } from '../processes/scratch.ts';
import { type ServedApi, serveApi } from '../processes/setpoint.ts';

export const estate = 'bench';

const regions = ['ap-south-1', 'eu-north-1', 'eu-west-1', 'sa-east-1', 'us-east-1'];

/** 50 scopes: 10 accounts in 5 regions each. */
const places = Array.from({ length: 10 }, (_, index) => `11112222333${index}`).flatMap((account) =>
  regions.map((region) => ({ cloud: 'aws' as const, account, region })),
);

type BenchPlace = (typeof places)[number];

const scopeOf = ({ cloud, account, region }: BenchPlace): string => `${cloud}/${account}/${region}`;

/** As the reconciles of `count` resources would leave them, the same number in each scope. */
export const rowsOf = (count: number): ReadonlyMap<string, readonly Row[]> =>
  new Map(
    places.map((place) => {
      const each = Array.from({ length: count / places.length }, (_, index) => rowAt(place, index, 0));
      return [scopeOf(place), each];
    }),
  );

/** The targets of the scopes, as documents. */
const documents = [
  { kind: 'Estate', metadata: { name: estate }, spec: { mode: 'enforce' } },
  ...places.map(({ account, region }) => ({
    kind: 'Target',
    metadata: { name: `${account}-${region}` },
    spec: { provider: 'aws', account, region },
  })),
];

/** A store with the targets and these rows, `setpoint api` on it, and a way to write into it beside the API. */
export interface ConsoleWorld {
  readonly api: ServedApi;
  readonly store: Store;
  readonly owner: pg.ClientConfig;
}

/** Ends the API and the database afterwards. `prepare`: what else is to stand in the store. */
export const inConsoleWorld = <T>(
  rows: ReadonlyMap<string, readonly Row[]>,
  work: (world: ConsoleWorld) => Promise<T>,
  prepare: (store: Store) => Promise<void> = async () => {},
): Promise<T> =>
  inScratch(async (folder) => {
    let owner: pg.ClientConfig = {};
    const onServer = async (server: DatabaseServer): Promise<void> => {
      owner = server.owner;
    };
    const store = await openStore({ folder, clock: realClock, create: true, onServer });
    try {
      await accept(store);
      const at = Date.now();
      for (const [scope, each] of rows) await store.rows.keep({ estate, scope }, { at, rows: each, gaps: [] });
      await prepare(store);
      await count(owner);
      const api = await serveApi(folder);
      try {
        return await work({ api, store, owner });
      } finally {
        await api.end();
      }
    } finally {
      await store.close();
    }
  });

async function accept({ fleet, generations }: Store): Promise<void> {
  const text = documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
  const revision = `folder:${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  await fleet.specSnapshots.keep(estate, revision, { specs: [{ path: 'all.yaml', text }], userData: [] });
  await generations.accept(estate, revision, guardsOf({ deletes: 5, replaces: 5 }));
}

/** As the server does by itself within a minute. */
async function count(owner: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  await client.query('ANALYZE setpoint.versions');
  await client.end();
}
