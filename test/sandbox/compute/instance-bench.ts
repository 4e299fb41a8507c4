import { appendFileSync } from 'node:fs';
import { DisksClient } from '@google-cloud/compute/build/src/v1/disks_client.js';
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { START } from '../bench.ts';

export const PROJECT = 'acme';
export const ZONE = 'europe-west1-b';

export interface Machines {
  readonly sandbox: Sandbox;
  readonly instances: InstancesClient;
  readonly disks: DisksClient;
  /** A request below `/compute/v1/projects/` by hand. */
  raw(method: string, path: string, body?: unknown): Promise<Raw>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Raw {
  readonly status: number;
  readonly body: Answer;
}

/** The parts of answers that tests look into. */
export interface Answer {
  readonly [field: string]: unknown;
  readonly error?: { readonly errors: readonly { readonly reason: string; readonly message: string }[] };
}

/** A sandbox with a stopped clock, without budgets, and real SDK clients. */
export async function machines(options: SandboxOptions = {}): Promise<Machines> {
  const sandbox = await startSandbox({
    clock: { rate: 0, start: START },
    budgets: false,
    ...options,
    compute: { projects: [{ id: PROJECT, number: '123456789012' }], ...options.compute },
  });
  const { hostname, port } = new URL(sandbox.url);
  const settings = { apiEndpoint: hostname, port: Number(port), protocol: 'http', fallback: true, auth: AUTH };
  const instances = new InstancesClient(settings);
  const disks = new DisksClient(settings);
  return {
    sandbox,
    instances,
    disks,
    raw: async (method, path, body) => {
      const response = await kept(`${sandbox.url}/compute/v1/projects/${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Answer; // why: the sandbox answers JSON objects, and tests assert the rest
      return { status: response.status, body: answer };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([instances.close(), disks.close()]);
      await sandbox.close();
    },
  };
}

/** The operation that a write began, as Compute Engine has it. */
export interface Begun {
  readonly name: string;
  readonly operationType: string;
  readonly targetLink: string;
  readonly status: string;
}

export function begun([operation]: readonly [{ readonly latestResponse: unknown }, ...unknown[]]): Begun {
  return operation.latestResponse as Begun; // why: its declared type is of another API's operations
}

/** Lets `ms` pass on the sandbox's clock; by default more than any operation takes. */
export function pass({ sandbox }: Machines, ms = 60_000): void {
  sandbox.control.clock.advance(ms);
}

/** A network with a subnetwork in the region of `ZONE`, and one elsewhere. */
export async function withNetwork(options: SandboxOptions = {}): Promise<Machines> {
  const made = await machines(options);
  await made.raw('POST', `${PROJECT}/global/networks`, { name: 'core', autoCreateSubnetworks: false });
  pass(made);
  for (const [region, name, ipCidrRange] of SUBNETWORKS)
    await made.raw('POST', `${PROJECT}/regions/${region}/subnetworks`, {
      name,
      ipCidrRange,
      network: 'global/networks/core',
    });
  pass(made);
  return made;
}

const SUBNETWORKS = [
  ['europe-west1', 'app', '10.20.1.0/24'],
  ['europe-west1', 'tiny', '10.20.2.0/29'],
  ['us-central1', 'far', '10.20.3.0/24'],
] as const;

type Insertion = Exclude<Parameters<InstancesClient['insert']>[0], undefined>;

/** The least that makes a machine. */
export const WEB: NonNullable<Insertion['instanceResource']> & { readonly networkInterfaces: object[] } = {
  name: 'web',
  machineType: `zones/${ZONE}/machineTypes/e2-small`,
  disks: [
    {
      boot: true,
      autoDelete: true,
      initializeParams: { sourceImage: 'projects/debian-cloud/global/images/family/debian-12' },
    },
  ],
  networkInterfaces: [{ subnetwork: 'regions/europe-west1/subnetworks/app' }],
};

/** The part of an auth library that the SDK's transport calls: a token, and a fetch for every request. */
const AUTH = {
  getRequestHeaders: async () => new Headers({ authorization: 'Bearer test' }),
  fetch: (url: string, { method, body }: RequestInit) => kept(url, { method: method ?? 'GET', body: body ?? null }),
} as unknown as ConstructorParameters<typeof InstancesClient>[0] extends { auth?: infer A } | undefined ? A : never; // why: it uses no more of the class than this

/** Set: a file to which every exchange is appended, one JSON a line, for outside checks. */
const RECORD = process.env['SETPOINT_TEST_RECORD'];

async function kept(url: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: 'Bearer test', 'content-type': 'application/json' };
  const response = await fetch(url, { ...init, headers });
  if (RECORD === undefined) return response;
  const text = await response.clone().text();
  const { pathname, search } = new URL(url);
  const exchange = {
    method: init.method,
    path: pathname + search,
    requestHeaders: {},
    requestBody: typeof init.body === 'string' && init.body !== '' ? JSON.parse(init.body) : undefined,
    status: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody: JSON.parse(text),
  };
  appendFileSync(RECORD, `${JSON.stringify(exchange)}\n`);
  return response;
}
