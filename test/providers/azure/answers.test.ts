import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ComputeManagementClient } from '@azure/arm-compute';
import { NetworkManagementClient } from '@azure/arm-network';
import { createHttpHeaders, type HttpClient } from '@azure/core-rest-pipeline';
import { makeClient, type Pages } from '../../../providers/azure/client.ts';
import { makeListings } from '../../../providers/azure/listings.ts';
import { lookup } from '../../../providers/azure/lookup.ts';
import { pages } from '../../../providers/azure/pages.ts';
import { bounds } from '../../../providers/azure/rate-limits.ts';
import type { Failure } from '../../../src/core/failure.ts';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { account, network, scope } from './scripted-arm.ts';

const clock = { now: () => Date.now(), sleep: async () => {} };

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly link: string | undefined;
}

interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

interface Arm extends AsyncDisposable {
  readonly url: string;
  readonly asked: Asked[];
}

async function armOf(answer: (asked: Asked) => Said): Promise<Arm> {
  const asked: Asked[] = [];
  const server = createServer(({ url = '', method = '' }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const one = { method, path: pathname, link: searchParams.get('$skiptoken') ?? undefined };
    asked.push(one);
    const { status = 200, headers = {}, body } = answer(one);
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const clientOf = ({ url }: Arm) => makeClient({ scope, account, region: 'westeurope', endpoint: url }, clock);
const listingsOf = async (arm: Arm) =>
  makeListings({ client: await clientOf(arm), account, location: 'westeurope', clock });

const folder = resolve(
  join(import.meta.dirname, '../../..'),
  process.env['SETPOINT_RECORDINGS'] ?? '../shared/recordings',
);
const skip = existsSync(folder) ? false : `no ${folder}; set SETPOINT_RECORDINGS`;

/** Recorded resources of a kind as of this subscription and place, over and over, by names of their own: some megabyte. */
function resourcesOf(kind: string): readonly object[] {
  const recorded = readFileSync(join(folder, 'azure.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    .filter((line) => line.kind === kind)
    .map(({ o }) => o);
  const rounds = Math.ceil((1024 * 1024) / JSON.stringify(recorded).length);
  return Array.from({ length: rounds }, (_, round) =>
    recorded.map((resource, i) => ({
      ...resource,
      id: network(`${kind}/${round}-${i}`),
      location: 'westeurope',
    })),
  ).flat();
}

/** The unchanged SDKs, with this answer to every request. */
function sdksOf(body: string): { network: NetworkManagementClient; compute: ComputeManagementClient } {
  const headers = createHttpHeaders({ 'content-type': 'application/json' });
  const httpClient: HttpClient = {
    sendRequest: async (request) => ({ request, headers, status: 200, bodyAsText: body }),
  };
  const credential = { getToken: async () => ({ token: 'none', expiresOnTimestamp: Number.MAX_SAFE_INTEGER }) };
  const options = { httpClient };
  return {
    network: new NetworkManagementClient(credential, account, options),
    compute: new ComputeManagementClient(credential, account, options),
  };
}

type Sdks = ReturnType<typeof sdksOf>;

const kinds: Readonly<Record<string, (sdks: Sdks) => ReturnType<Pages<object>>>> = {
  networksecuritygroups: (sdks) => sdks.network.networkSecurityGroups.listAll(),
  virtualmachines: (sdks) => sdks.compute.virtualMachines.listAll(),
  disks: (sdks) => sdks.compute.disks.list(),
  publicipaddresses: (sdks) => sdks.network.publicIPAddresses.listAll(),
  networkinterfaces: (sdks) => sdks.network.networkInterfaces.listAll(),
};

async function oursOf(arm: Arm, list: (sdks: Sdks) => ReturnType<Pages<object>>): Promise<readonly object[]> {
  const found: object[] = [];
  for await (const page of pages(list, { client: await clientOf(arm), account }, recordedCall())) found.push(...page);
  return found;
}

async function theirsOf(body: string, list: (sdks: Sdks) => ReturnType<Pages<object>>): Promise<readonly object[]> {
  const found: object[] = [];
  for await (const page of list(sdksOf(body)).byPage({})) found.push(...page);
  return found;
}

/** 3,000 subnets, and in one of them 5,000 addresses. */
const crowded = {
  id: network('virtualNetworks/v'),
  name: 'v',
  etag: 'W/"1"',
  location: 'westeurope',
  properties: {
    addressSpace: { addressPrefixes: ['10.0.0.0/8'] },
    subnets: Array.from({ length: 3_000 }, (_, i) => ({
      id: network(`virtualNetworks/v/subnets/s-${i}`),
      name: `s-${i}`,
      properties: {
        addressPrefix: `10.${i >> 8}.${i & 255}.0/24`,
        provisioningState: 'Succeeded',
        networkSecurityGroup: { id: network('networkSecurityGroups/v-nsg') },
        ipConfigurations: Array.from({ length: i === 7 ? 5_000 : 1 }, (_, n) => ({
          id: network(`networkInterfaces/n-${i}-${n}/ipConfigurations/ip`),
        })),
      },
    })),
    resourceGuid: 'aaaa',
    enableDdosProtection: false,
  },
};

describe('a long answer is read in pieces as the SDK reads it whole, and asked for once', () => {
  for (const [kind, list] of Object.entries(kinds))
    test(`recorded ${kind}`, { skip }, async () => {
      const body = JSON.stringify({ value: resourcesOf(kind) });
      await using arm = await armOf(() => ({ body }));
      const found = await oursOf(arm, list);
      assert.ok(found.length > 100, `${found.length} resources`);
      assert.ok(isDeepStrictEqual(found, await theirsOf(body, list)));
      assert.equal(arm.asked.length, 1);
    });

  const vnets = (sdks: Sdks) => sdks.network.virtualNetworks.listAll();
  const get = ({ network }: { network: NetworkManagementClient }) => network.virtualNetworks.get('rg', 'v');

  test('a network of 3,000 subnets among others', async () => {
    const others = ['u', 'w'].map((name) => ({ id: network(`virtualNetworks/${name}`), location: 'westeurope' }));
    const body = JSON.stringify({ value: [others[0], crowded, others[1]] });
    await using arm = await armOf(() => ({ body }));
    assert.ok(isDeepStrictEqual(await oursOf(arm, vnets), await theirsOf(body, vnets)));
  });

  test('a network by its name', async () => {
    const body = JSON.stringify(crowded);
    await using arm = await armOf(() => ({ body }));
    const found = await (await clientOf(arm)).ask(recordedCall(), get);
    assert.ok(found.ok);
    assert.ok(isDeepStrictEqual(found.value, await get(sdksOf(body))));
    assert.equal(arm.asked.length, 1);
  });

  test('a network as the cloud wrote it', async () => {
    await using arm = await armOf(() => ({ body: JSON.stringify({ ...crowded, newer: [1, { a: null }] }) }));
    const found = await (await clientOf(arm)).raw(recordedCall(), get);
    assert.ok(found.ok);
    const whole: unknown = found.value;
    assert.ok(isDeepStrictEqual(whole, { ...crowded, newer: [1, { a: null }] }));
    assert.equal(arm.asked.length, 1);
  });

  test('and the next page is found, wherever its link stands', async () => {
    const value = Array.from({ length: 6_000 }, (_, i) => ({ id: network(`virtualNetworks/${i}`), location: 'w' }));
    for (const page of [
      (nextLink: string) => ({ nextLink, value: value.slice(0, 5_000) }),
      (nextLink: string) => ({ value: value.slice(0, 5_000), nextLink }),
    ]) {
      await using arm: Arm = await armOf(({ link }) => ({
        body: JSON.stringify(link === undefined ? page(`${arm.url}/next?$skiptoken=1`) : { value: value.slice(5_000) }),
      }));
      assert.equal((await oursOf(arm, vnets)).length, 6_000);
      assert.deepEqual(
        arm.asked.map(({ link }) => link),
        [undefined, '1'],
      );
    }
  });
});

test('a write whose answer is long has succeeded, whatever of the lists is read', async () => {
  const done = { ...crowded, properties: { ...crowded.properties, provisioningState: 'Succeeded' } };
  await using arm = await armOf(() => ({ body: JSON.stringify(done) }));
  const written = await (await clientOf(arm)).run(recordedCall(), ({ network: { virtualNetworks } }) =>
    virtualNetworks.createOrUpdate('rg', 'v', { location: 'westeurope' }),
  );
  assert.ok(written.ok);
  assert.deepEqual([written.value.name, written.value.subnets], ['v', []]);
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

const get = ({ network: { virtualNetworks } }: { network: NetworkManagementClient }) => virtualNetworks.get('rg', 'v');

const wide = Array.from({ length: bounds.parts }, () => 1);
const tooMuch: Readonly<Record<string, readonly [body: string, found: RegExp]>> = {
  'more bytes': [`{"value":[]${' '.repeat(bounds.bytes)}}`, /with more than 32 MiB\./],
  'more parts': [JSON.stringify({ value: [], x: wide }), /with more than 2,000,000 keys, values and brackets\./],
  'greater depth': [`{"value":[],"x":${'['.repeat(64)}${']'.repeat(64)}}`, /nested deeper than 64\./],
  'a longer text': [JSON.stringify({ value: [], x: 'a'.repeat(2 * 1024 * 1024) }), /with a text of more than 2 MiB\./],
  'many keys': [
    JSON.stringify({ value: [], x: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, 1])) }),
    /with an object of more than 10,000 members\./,
  ],
};

describe('an answer beyond its bounds', () => {
  for (const [name, [body, found]] of Object.entries(tooMuch)) {
    test(`is a failed listing, and no empty one: ${name}`, async () => {
      await using arm = await armOf(() => ({ body }));
      const failure = await failureOf((await listingsOf(arm)).vnets('network', recordedCall()));
      assert.deepEqual([failure?.kind, failure?.code], ['retryable', 'AnswerTooLarge']);
      assert.match(failure?.message ?? '', found);
      assert.match(failure?.message ?? '', /^Azure answered VirtualNetworks_ListAll with .* Check the endpoint/);
    });

    test(`to a write leaves open what was done: ${name}`, async () => {
      await using arm = await armOf(() => ({ body }));
      const written = await (await clientOf(arm)).run(recordedCall(), ({ network: { virtualNetworks } }) =>
        virtualNetworks.createOrUpdate('rg', 'v', { location: 'westeurope' }),
      );
      assert.ok(!written.ok);
      assert.deepEqual([written.failure.kind, written.failure.code], ['ambiguous', 'AnswerTooLarge']);
    });
  }

  test('does not tell that something is gone, whatever its status and its code', async () => {
    const message = 'a'.repeat(bounds.refusal);
    await using arm = await armOf(() => ({
      status: 404,
      body: JSON.stringify({ error: { code: 'ResourceNotFound', message } }),
    }));
    const found = await lookup(network('virtualNetworks/v'), get, await clientOf(arm), recordedCall());
    assert.ok(!found.ok);
    assert.deepEqual([found.failure.kind, found.failure.code], ['retryable', 'AnswerTooLarge']);
  });

  for (const encoding of ['gzip', 'identity'])
    test(`is read no further than to its bound, and its connection is given up: ${encoding}`, {
      timeout: 30_000,
    }, async () => {
      const blanks = Buffer.alloc(bounds.bytes + 1, ' ');
      const server = createServer((_, reply) => {
        reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
        reply.write(encoding === 'gzip' ? gzipSync(blanks) : blanks);
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as AddressInfo; // why: it listens on a port
      const connected = once(server, 'connection');
      const client = await makeClient(
        { scope, account, region: 'westeurope', endpoint: `http://127.0.0.1:${port}` },
        clock,
      );
      const asked = client.ask(recordedCall(), get);
      const [socket] = await connected;
      const closed = once(socket, 'close');
      const found = await asked;
      assert.equal(found.ok ? '' : found.failure.code, 'AnswerTooLarge');
      await closed;
      server.close();
    });
});

describe('an answer that stops half way', () => {
  for (const encoding of ['gzip', 'identity'])
    for (const [sent, kind] of [
      ['a read', 'retryable'],
      ['a write', 'ambiguous'],
    ] as const)
      test(`to ${sent} is ${kind}, and its connection is closed: ${encoding}`, async () => {
        const half = Buffer.from('{"value":[');
        const server = createServer((_, reply) => {
          reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
          reply.write(encoding === 'gzip' ? gzipSync(half).subarray(0, -8) : half);
        });
        await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
        const { port } = server.address() as AddressInfo; // why: it listens on a port
        const closed = once(server, 'connection').then(([socket]) => once(socket, 'close'));
        const endpoint = `http://127.0.0.1:${port}`;
        const client = await makeClient({ scope, account, region: 'westeurope', endpoint }, clock, 100);
        const answer = await (sent === 'a read'
          ? client.ask(recordedCall(), get)
          : client.run(recordedCall(), ({ network: { virtualNetworks } }) =>
              virtualNetworks.createOrUpdate('rg', 'v', { location: 'westeurope' }),
            ));
        assert.equal(answer.ok ? '' : answer.failure.kind, kind);
        await closed;
        server.close();
      });
});

describe('a long answer that is no JSON is a failed listing', () => {
  const value = Array.from({ length: 5_000 }, (_, i) => ({ id: network(`virtualNetworks/${i}`), location: 'w' }));
  const whole = JSON.stringify({ value });
  const broken: Readonly<Record<string, string>> = {
    'cut short': whole.slice(0, -1),
    'cut within an item': whole.slice(0, -10),
    'with a comma too many': whole.replace(/\]\}$/, ',]}'),
    'with an item that is none': whole.replace(/"w"\}\]\}$/, 'w}]}'),
    'with another bracket': whole.replace(/\]\}$/, '}]'),
    'with something behind': `${whole} and more`,
    'a page for people': `<html>${'<p>Service Unavailable</p>'.repeat(20_000)}</html>`,
  };
  for (const [name, body] of Object.entries(broken))
    test(name, async () => {
      await using arm = await armOf(() => ({ body }));
      const failure = await failureOf((await listingsOf(arm)).vnets('network', recordedCall()));
      assert.deepEqual([failure?.kind, failure?.code], ['retryable', 'UnreadableAnswer']);
    });
});
