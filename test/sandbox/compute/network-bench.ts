import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import type { protos } from '@google-cloud/compute';
import { FirewallsClient } from '@google-cloud/compute/build/src/v1/firewalls_client.js';
import { GlobalOperationsClient } from '@google-cloud/compute/build/src/v1/global_operations_client.js';
import { NetworksClient } from '@google-cloud/compute/build/src/v1/networks_client.js';
import { RoutersClient } from '@google-cloud/compute/build/src/v1/routers_client.js';
import { RoutesClient } from '@google-cloud/compute/build/src/v1/routes_client.js';
import { SubnetworksClient } from '@google-cloud/compute/build/src/v1/subnetworks_client.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { START } from '../bench.ts';

export const PROJECT = 'acme';
export const REGION = 'europe-west1';

/** Longer than any operation on networks takes. */
const LONG_MS = 10_000;

export interface Raw {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the reason stands beside it
  readonly body: any; // why: JSON of many forms, looked into by tests
}

export interface NetworkBench {
  readonly sandbox: Sandbox;
  readonly sdk: Clients;
  /** A request below `/compute/v1/projects/acme/`. */
  raw(method: string, path: string, body?: unknown): Promise<Raw>;
  /** The same for a write: lets its operation end, and answers that as it ended. */
  done(method: string, path: string, body?: unknown): Promise<Raw>;
  [Symbol.asyncDispose](): Promise<void>;
}

type Clients = ReturnType<typeof clientsOf>;

/** A sandbox with a stopped clock, without budgets, and real SDK clients. */
export async function bench(options: SandboxOptions = {}): Promise<NetworkBench> {
  const sandbox = await startSandbox({
    clock: { rate: 0, start: START },
    budgets: false,
    ...options,
    compute: { projects: [{ id: PROJECT, number: '123456789012' }], ...options.compute },
  });
  const raw = async (method: string, path: string, body?: unknown): Promise<Raw> => {
    const response = await recorded(`${sandbox.url}/compute/v1/projects/${PROJECT}/${path}`, {
      method,
      headers: BEARER,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  let clients: Clients | undefined;
  return {
    sandbox,
    get sdk() {
      clients ??= clientsOf(sandbox.url);
      return clients;
    },
    raw,
    done: async (method, path, body) => {
      const begun = await raw(method, path, body);
      assert.equal(begun.status, 200, `${method} ${path}: ${JSON.stringify(begun.body)}`);
      sandbox.control.clock.advance(LONG_MS);
      return raw('GET', below(begun.body.selfLink));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(Object.values(clients ?? {}).map((client) => client.close()));
      await sandbox.close();
    },
  };
}

/** The status and `errors[0].reason` of a refused request. */
export function refusalOf({ status, body }: Raw): string {
  return status < 400 ? 'accepted' : `${status} ${body.error.errors[0].reason}`;
}

/** Of an operation: `DONE`, or `DONE` and the code of its error. */
export function endOf({ body }: Raw): string {
  return [body.status, ...(body.error ? [body.error.errors[0].code] : [])].join(' ');
}

/** The operation that a write of the SDK answered. */
export function begun([operation]: readonly [{ readonly latestResponse: unknown }, ...unknown[]]): IOperation {
  return operation.latestResponse as IOperation; // why: in REST mode it is Compute's own operation, whatever the types say
}

type IOperation = protos.google.cloud.compute.v1.IOperation;

/** A link, below the project. */
export function below(link: string): string {
  return link.slice(link.indexOf(`/projects/${PROJECT}/`) + `/projects/${PROJECT}/`.length);
}

/** A network named core, with a subnetwork app of 10.0.1.0/24. */
export async function core(made: NetworkBench): Promise<void> {
  assert.equal(endOf(await made.done('POST', 'global/networks', custom('core'))), 'DONE');
  const app = { name: 'app', network: 'global/networks/core', ipCidrRange: '10.0.1.0/24' };
  assert.equal(endOf(await made.done('POST', `regions/${REGION}/subnetworks`, app)), 'DONE');
}

export function custom(name: string): object {
  return { name, autoCreateSubnetworks: false };
}

const BEARER = { authorization: 'Bearer test', 'content-type': 'application/json' };

/** A file that gets every exchange, one JSON a line, if the environment names it. The outside checker reads it. */
const RECORD = process.env['SETPOINT_TEST_RECORD'];

async function recorded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (RECORD) {
    const { pathname, search } = new URL(url);
    const responseBody = await response.clone().text();
    const record = { method: init.method ?? 'GET', path: pathname + search, requestBody: init.body };
    appendFileSync(RECORD, `${JSON.stringify({ ...record, status: response.status, responseBody })}\n`);
  }
  return response;
}

function clientsOf(url: string) {
  const { hostname, port } = new URL(url);
  const auth = {
    getRequestHeaders: async () => new Headers(BEARER),
    fetch: (input: string | URL, { agent: _, validateStatus: __, responseType: ___, ...init }: Gaxios) =>
      recorded(String(input), { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...BEARER } }),
  };
  const settings = { apiEndpoint: hostname, port: Number(port), protocol: 'http', fallback: true, auth: auth as never }; // why: the two members that the SDK calls in REST mode
  return {
    networks: new NetworksClient(settings),
    subnetworks: new SubnetworksClient(settings),
    firewalls: new FirewallsClient(settings),
    routes: new RoutesClient(settings),
    routers: new RoutersClient(settings),
    operations: new GlobalOperationsClient(settings),
  };
}

/** The SDK's own fields beside those of fetch. */
interface Gaxios extends RequestInit {
  readonly agent?: unknown;
  readonly validateStatus?: unknown;
  readonly responseType?: unknown;
}
