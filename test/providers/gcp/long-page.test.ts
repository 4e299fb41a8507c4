import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Kind } from '../../../src/core/resource.ts';
import { everyPage } from '../../support/every-page.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { openGcpSession, project } from '../../support/gcp-session.ts';

const base = `https://www.googleapis.com/compute/v1/projects/${project}`;

const network = (i: number): object => ({
  kind: 'compute#network',
  id: `${100 + i}`,
  name: `n-${i}`,
  selfLink: `${base}/global/networks/n-${i}`,
  description: 'a'.repeat(2_000),
  autoCreateSubnetworks: i % 2 === 0,
});

const subnetwork = (region: string) => (i: number) => ({
  kind: 'compute#subnetwork',
  id: `${region.length}${1_000 + i}`,
  name: `s-${i}`,
  network: `${base}/global/networks/n-1`,
  ipCidrRange: `10.${i >> 8}.${i & 255}.0/24`,
  region: `${base}/regions/${region}`,
  selfLink: `${base}/regions/${region}/subnetworks/s-${i}`,
  description: 'a'.repeat(2_000),
});

const items = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const networks = items(200, network);
const places: Readonly<Record<string, object>> = {
  'regions/europe-west1': { subnetworks: items(180, subnetwork('europe-west1')) },
  'regions/asia-east1': { warning: { code: 'NO_RESULTS_ON_PAGE', message: 'none' } },
  'regions/us-east1': { subnetworks: items(90, subnetwork('us-east1')) },
};

/** Answers with whole pages, or with one for each item. */
async function listings(whole: boolean): Promise<{ readonly found: readonly unknown[]; readonly asked: number }> {
  let asked = 0;
  const server = createServer(({ url = '' }, reply) => {
    asked += 1;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const at = Number(searchParams.get('pageToken') ?? 0);
    reply.end(JSON.stringify(whole ? wholePage(pathname) : onePage(pathname, at)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  const session = await openGcpSession(`http://127.0.0.1:${port}`, { now: () => Date.now(), sleep: async () => {} });
  try {
    const found: unknown[] = [];
    for (const kind of ['network', 'subnet'] satisfies Kind[])
      found.push(await everyPage(session.actuators[kind], recordedCall()));
    return { found, asked };
  } finally {
    await session.close();
    server.close();
  }
}

function wholePage(pathname: string): object {
  if (pathname.endsWith('/networks')) return { kind: 'compute#networkList', items: networks };
  if (pathname.endsWith('/subnetworks')) return { kind: 'compute#subnetworkAggregatedList', items: places };
  return { kind: 'compute#routeList' };
}

function onePage(pathname: string, at: number): object {
  const all = pathname.endsWith('/networks')
    ? networks.map((each) => [each])
    : Object.entries(places).flatMap(([place, held]) =>
        Object.entries(held).flatMap(([list, held]) =>
          Array.isArray(held) ? held.map((each) => ({ [place]: { [list]: [each] } })) : [{ [place]: { [list]: held } }],
        ),
      );
  if (!/networks$/.test(pathname)) return { kind: 'compute#routeList' };
  const nextPageToken = at + 1 < all.length ? { nextPageToken: `${at + 1}` } : {};
  return { kind: 'compute#someList', items: all[at], ...nextPageToken };
}

test('a long page is read in parts as in one, and asked for once', async () => {
  const short = await listings(false);
  const long = await listings(true);
  assert.deepEqual(long.found, short.found);
  assert.deepEqual([long.found.map((list) => (list as unknown[]).length), long.asked], [[200, 270], 3]); // why: lists
});
