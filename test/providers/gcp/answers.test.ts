import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DisksClient } from '@google-cloud/compute/build/src/v1/disks_client.js';
import { FirewallsClient } from '@google-cloud/compute/build/src/v1/firewalls_client.js';
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';
import { NetworksClient } from '@google-cloud/compute/build/src/v1/networks_client.js';
import { SubnetworksClient } from '@google-cloud/compute/build/src/v1/subnetworks_client.js';
import { makeClient } from '../../../providers/gcp/client.ts';
import { makeListings } from '../../../providers/gcp/listings.ts';
import { aggregatedList, aggregatedPage, pageOf } from '../../../providers/gcp/page.ts';
import { bounds } from '../../../providers/gcp/rate-limits.ts';
import { authClient, makeTransport } from '../../../providers/gcp/transport.ts';
import type { Failure } from '../../../src/core/failure.ts';
import type { Access } from '../../../src/ports/provider.ts';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { creationOf, desiredOf, recordedCall } from '../../support/fixtures.ts';
import { openGcpSession, project, region, scope } from '../../support/gcp-session.ts';

const clock = { now: () => Date.now(), sleep: async () => {} };
const base = `https://www.googleapis.com/compute/v1/projects/${project}`;

interface Asked {
  readonly path: string;
  readonly size: number | undefined;
  readonly token: string | undefined;
}

interface Cloud extends AsyncDisposable {
  readonly access: Access;
  readonly asked: Asked[];
}

/** Answers each request with a body, and with its status where that is not 200. */
async function cloudOf(answer: (asked: Asked, method: string) => string | readonly [number, string]): Promise<Cloud> {
  const asked: Asked[] = [];
  const server = createServer(({ url = '', method = '' }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const size = searchParams.get('maxResults');
    const token = searchParams.get('pageToken') || undefined;
    const one = { path: pathname, size: size === null ? undefined : Number(size), token };
    asked.push(one);
    const said = answer(one, method);
    const [status, body] = typeof said === 'string' ? [200, said] : said;
    reply.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  return {
    access: { scope, account: project, region, endpoint: `http://127.0.0.1:${port}` },
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const listingsOf = ({ access }: Cloud) => makeListings(makeClient(access, clock), project, clock);
type Listings = ReturnType<typeof listingsOf>;

const folder = resolve(
  join(import.meta.dirname, '../../..'),
  process.env['SETPOINT_RECORDINGS'] ?? '../shared/recordings',
);
const skip = existsSync(folder) ? false : `no ${folder}; set SETPOINT_RECORDINGS`;

/** Recorded objects of a kind as of this project, over and over, with numbers of their own: some megabyte. */
function objectsOf(kind: string): readonly object[] {
  const recorded = readFileSync(join(folder, 'gcp.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    .filter((line) => line.kind === kind)
    .map(({ o }) => o);
  const once = JSON.stringify(recorded).length;
  const rounds = Math.ceil((1024 * 1024) / once);
  return Array.from({ length: rounds }, (_, round) =>
    recorded.map((object, i) => {
      const selfLink = `${base}/global/things/${object.name}`;
      return { ...object, id: `${1 + round * recorded.length + i}`, selfLink };
    }),
  ).flat();
}

/** Objects at two places, in turn. */
function atPlaces(list: string, objects: readonly object[]): object {
  const some = (rest: number): readonly object[] => objects.filter((_, i) => i % 2 === rest);
  const none = { warning: { code: 'NO_RESULTS_ON_PAGE', message: 'none' } };
  return { 'zones/a': { [list]: some(0) }, 'zones/b': none, 'zones/c': { [list]: some(1) } };
}

const request = { project, maxResults: 500, pageToken: null };
type Options = NonNullable<ConstructorParameters<typeof NetworksClient>[0]>;

/** The unchanged SDK, with this answer to every request. */
const sdkOf = (body: string): Options => ({
  fallback: true,
  // why: the SDK calls only `fetch` of it and wants `getRequestHeaders` to be there
  authClient: {
    getRequestHeaders: async () => new Headers(),
    fetch: async () => new Response(body),
  } as unknown as NonNullable<Options['authClient']>,
});

interface Kind {
  readonly page: (objects: readonly object[]) => object;
  readonly ours: (listings: Listings) => Promise<readonly unknown[]>;
  readonly theirs: (body: string) => Promise<readonly unknown[]>;
}

const list = (items: readonly object[]): object => ({ kind: 'compute#someList', items });
const aggregated =
  (name: string) =>
  (items: readonly object[]): object => ({ kind: 'compute#someAggregatedList', items: atPlaces(name, items) });

const kinds: Readonly<Record<string, Kind>> = {
  'compute#network': {
    page: list,
    ours: (listings) => listings.networks('network', recordedCall()),
    theirs: async (body) => {
      const [, , page] = await new NetworksClient(sdkOf(body)).list(request, { autoPaginate: false });
      return pageOf(page).items;
    },
  },
  'compute#firewall': {
    page: list,
    ours: (listings) => listings.firewalls('network', recordedCall()),
    theirs: async (body) => {
      const [, , page] = await new FirewallsClient(sdkOf(body)).list(request, { autoPaginate: false });
      return pageOf(page).items;
    },
  },
  'compute#subnetwork': {
    page: aggregated('subnetworks'),
    ours: (listings) => listings.subnetworks('network', recordedCall()),
    theirs: (body) => placesOf(new SubnetworksClient(sdkOf(body)), 'subnetworks'),
  },
  'compute#instance': {
    page: aggregated('instances'),
    ours: (listings) => listings.instances('network', recordedCall()),
    theirs: (body) => placesOf(new InstancesClient(sdkOf(body)), 'instances'),
  },
  'compute#disk': {
    page: aggregated('disks'),
    ours: (listings) => listings.disks('network', recordedCall()),
    theirs: (body) => placesOf(new DisksClient(sdkOf(body)), 'disks'),
  },
};

async function placesOf(client: Parameters<typeof aggregatedList>[0], list: string): Promise<readonly unknown[]> {
  const [page] = await aggregatedList<Record<string, readonly unknown[] | undefined>>(client, request, {
    autoPaginate: false,
  });
  return aggregatedPage(page as object, (place) => Reflect.get(place, list) as readonly unknown[]).items; // why: as it was written
}

describe('a long page is read in pieces as the SDK reads it whole, and asked for once', { skip }, () => {
  for (const [kind, { page, ours, theirs }] of Object.entries(kinds))
    test(kind, async () => {
      const body = JSON.stringify(page(objectsOf(kind)));
      await using cloud = await cloudOf(() => body);
      const found = await ours(listingsOf(cloud));
      assert.ok(found.length > 100, `${found.length} objects`);
      assert.ok(isDeepStrictEqual(found, await theirs(body)));
      assert.equal(cloud.asked.length, 1);
    });

  test('a machine that is longer than a piece', async () => {
    const [object] = objectsOf('compute#instance');
    const disks = Array.from({ length: 2_000 }, (_, index) => ({ index, licenses: ['a', 'b'], guestOsFeatures: [{}] }));
    const labels = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`label-${i}`, `${i}`]));
    const page = aggregated('instances')([
      { ...object, disks, labels },
      { ...object, id: '2' },
    ]);
    const body = JSON.stringify(page, undefined, 1);
    await using cloud = await cloudOf(() => body);
    const found = await listingsOf(cloud).instances('network', recordedCall());
    assert.ok(isDeepStrictEqual(found, await placesOf(new InstancesClient(sdkOf(body)), 'instances')));
  });
});

const failureOf = async (listing: Promise<unknown>): Promise<Failure | undefined> => {
  try {
    await listing;
    assert.fail('the listing succeeded');
  } catch (error) {
    assert.ok(error instanceof ListingFailed);
    return error.failure;
  }
};

const network = (i: number, members: object = {}): object => ({
  kind: 'compute#network',
  id: `${100 + i}`,
  name: `n-${i}`,
  selfLink: `${base}/global/networks/n-${i}`,
  ...members,
});

const wide = Array.from({ length: bounds.parts }, () => 1);
const tooMuch: Readonly<Record<string, readonly [body: string, found: RegExp]>> = {
  'more bytes': [`{"kind":"a#List"${' '.repeat(bounds.bytes)}}`, /with more than 32 MiB\./],
  'more parts': [JSON.stringify({ kind: 'a#List', x: wide }), /with more than 500,000 keys, values and brackets\./],
  'greater depth': [`{"kind":"a#List","x":${'['.repeat(64)}${']'.repeat(64)}}`, /nested deeper than 64\./],
  'a longer text': [JSON.stringify(network(1, { x: 'a'.repeat(2 * 1024 * 1024) })), /with a text of more than 2 MiB\./],
};

/** Of a network, where that is the answer to each write. */
async function created(body: string): Promise<Failure> {
  await using cloud = await cloudOf((_, method) => (method === 'POST' ? body : [404, '{}']));
  const session = await openGcpSession(cloud.access.endpoint ?? '', clock);
  const address = `${scope}/global/network/core`;
  const desired = desiredOf('network', { address, name: 'core', attributes: { internet: true, labels: {} } });
  const [made] = await session.actuators.network.create([creationOf(desired, 'intent-1')], recordedCall());
  assert.ok(made?.ok === false);
  return made.failure;
}

describe('an answer beyond its bounds', () => {
  for (const [name, [body, found]] of Object.entries(tooMuch)) {
    test(`is a failed listing, and no empty one: ${name}`, async () => {
      await using cloud = await cloudOf(() => body);
      const failure = await failureOf(listingsOf(cloud).networks('network', recordedCall()));
      assert.deepEqual([failure?.kind, failure?.code], ['retryable', 'AnswerTooLarge']);
      assert.match(failure?.message ?? '', found);
      assert.match(failure?.message ?? '', /^Google Cloud answered networks\.list with .* Check the endpoint/);
    });

    test(`does not tell that something is gone, whatever its status: ${name}`, async () => {
      for (const status of [200, 404]) {
        await using cloud = await cloudOf(() => [status, status === 200 ? body : 'a'.repeat(bounds.refusal + 1)]);
        const session = await openGcpSession(cloud.access.endpoint ?? '', clock);
        const [read] = await session.actuators.network.read(
          [`projects/${project}/global/networks/core#1`],
          recordedCall(),
        );
        assert.ok(read?.ok === false);
        assert.deepEqual([read.failure.kind, read.failure.code], ['retryable', 'AnswerTooLarge']);
      }
    });

    test(`to a write leaves open what was done: ${name}`, async () => {
      const failure = await created(body);
      assert.deepEqual([failure.kind, failure.code], ['ambiguous', 'AnswerTooLarge']);
    });
  }

  test('to a write is one that no operation needs', async () => {
    const operation = { kind: 'compute#operation', name: 'o-1', id: '1', status: 'DONE', x: wide.slice(0, 5_001) };
    const failure = await created(JSON.stringify(operation));
    assert.deepEqual([failure.kind, failure.code], ['ambiguous', 'AnswerTooLarge']);
    assert.match(failure.message, /^Google Cloud answered networks\.insert with more than an operation has\./);
  });

  test('is asked for again in smaller pages, until each is within them', async () => {
    const all = Array.from({ length: 12 }, (_, i) => network(i));
    await using cloud = await cloudOf(({ size = 0, token = '0' }) => {
      const at = Number(token);
      const items = all.slice(at, at + size).map((item) => (size > 5 ? { ...item, x: 'a'.repeat(3_000_000) } : item));
      const next = at + size < all.length ? { nextPageToken: `${at + size}` } : {};
      return JSON.stringify({ kind: 'compute#networkList', items, ...next });
    });
    const found = await listingsOf(cloud).networks('network', recordedCall());
    assert.deepEqual(
      found.map(({ name }) => name),
      all.map((_, i) => `n-${i}`),
    );
    assert.deepEqual(
      cloud.asked.map(({ size, token }) => [size, token]),
      [
        [500, undefined],
        [50, undefined],
        [5, undefined],
        [5, '5'],
        [5, '10'],
      ],
    );
  });

  test('within the smallest page too is a failure after three requests', async () => {
    await using cloud = await cloudOf(() => tooMuch['greater depth']?.[0] ?? '');
    await failureOf(listingsOf(cloud).networks('network', recordedCall()));
    assert.deepEqual(
      cloud.asked.map(({ size }) => size),
      [500, 50, 5],
    );
  });
});

describe('an answer that stops half way', () => {
  interface Stuck extends AsyncDisposable {
    readonly access: Access;
    /** The client closed its first connection. */
    readonly closed: Promise<unknown>;
  }

  async function stuck(): Promise<Stuck> {
    const server = createServer((_, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json' });
      reply.write('{"kind":"compute#networkList","items":[');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo; // why: it listens on a port
    return {
      access: { scope, account: project, region, endpoint: `http://127.0.0.1:${port}` },
      closed: once(server, 'connection').then(([socket]) => once(socket, 'close')),
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  test('to a read is retryable, and its connection is closed', async () => {
    await using cloud = await stuck();
    const client = makeClient(cloud.access, clock);
    const found = await client.read({ action: 'networks.get', answerMs: 100 }, recordedCall(), (sdk, options) =>
      sdk.networks().get({ project, network: 'core' }, options),
    );
    assert.equal(found.ok ? '' : found.failure.kind, 'retryable');
    await cloud.closed;
  });

  test('to a write leaves open what was done', async () => {
    await using cloud = await stuck();
    const client = makeClient(cloud.access, clock);
    const made = await client.write({ action: 'networks.delete', answerMs: 100 }, recordedCall(), (sdk, options) =>
      sdk.networks().delete({ project, network: 'core' }, options),
    );
    assert.equal(made.ok ? '' : made.failure.kind, 'ambiguous');
    await cloud.closed;
  });

  test('is given up without a word of the SDK', async () => {
    await using cloud = await stuck();
    const exchange = { action: 'networks.get', answerMs: 100 };
    const asking = makeTransport(cloud.access).recording(exchange, () =>
      authClient.fetch(`${base}/global/networks/core`, { method: 'GET' }),
    );
    await assert.rejects(asking, { code: 'AnswerNotEnded' });
    await cloud.closed;
  });
});

describe('a long answer that is no JSON is a failed listing', () => {
  const items = Array.from({ length: 3_000 }, (_, i) => network(i));
  const whole = JSON.stringify({ kind: 'compute#networkList', items });
  const broken: Readonly<Record<string, string>> = {
    'cut short': whole.slice(0, -1),
    'cut within an item': whole.slice(0, -20),
    'with a comma too many': whole.replace(/\]\}$/, ',]}'),
    'with an item that is none': whole.replace('"n-2999"', 'n-2999'),
    'with another bracket': whole.replace(/\]\}$/, '}]'),
    'with something behind': `${whole} and more`,
    'a page for people': `<html>${'<p>Service Unavailable</p>'.repeat(20_000)}</html>`,
  };
  for (const [name, body] of Object.entries(broken))
    test(name, async () => {
      await using cloud = await cloudOf(() => body);
      assert.equal((await failureOf(listingsOf(cloud).networks('network', recordedCall())))?.kind, 'retryable');
    });
});
