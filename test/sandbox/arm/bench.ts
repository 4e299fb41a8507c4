import { NetworkManagementClient } from '@azure/arm-network';
import { ResourceManagementClient } from '@azure/arm-resources';
import type { TokenCredential } from '@azure/core-auth';
import type { Pipeline } from '@azure/core-rest-pipeline';
import { AT_ONCE } from '../../../sandbox/arm/subscription.ts';
import { DEFAULT_SUBSCRIPTION } from '../../../sandbox/arm/world.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';

export const START = Date.UTC(2026, 0, 1);
export const SUBSCRIPTION = DEFAULT_SUBSCRIPTION;
export const LOCATION = 'westeurope';
export const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/Rg`;
export const NETWORK = `${GROUP}/providers/Microsoft.Network`;

/** Polls at once: work of the bench ends within its request unless a test says otherwise. */
export const QUICK = { updateIntervalInMs: 1 };

export interface Bench {
  readonly sandbox: Sandbox;
  readonly network: NetworkManagementClient;
  readonly resources: ResourceManagementClient;
  /** One request by hand. */
  send(method: string, path: string, more?: Sent): Promise<Received>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of many shapes, and fails where they differ
  readonly body: any; // why: a test looks into answers of many shapes, and fails where they differ
}

/** A sandbox with a stopped clock, without budgets, with one resource group `Rg`. */
export async function bench(options: SandboxOptions = {}): Promise<Bench> {
  const { arm = {}, ...rest } = options;
  const durations = { ...AT_ONCE, ...arm.durations };
  const sandbox = await startSandbox({
    clock: { rate: 0, start: START },
    budgets: false,
    ...rest,
    arm: { ...arm, durations },
  });
  const made: Bench = {
    sandbox,
    ...clients(sandbox.url),
    send: (method, path, more) => send(sandbox.url, method, path, more),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
  await made.send('PUT', GROUP, { body: { location: LOCATION } });
  sandbox.control.log.clear();
  return made;
}

/** The real SDK over http: its own bearer policy refuses that, so another sends the token. */
export function clients(endpoint: string, token = 'dummy', subscription = SUBSCRIPTION) {
  const options = { endpoint, allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  const credential: TokenCredential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
  const network = new NetworkManagementClient(credential, subscription, options);
  const resources = new ResourceManagementClient(credential, subscription, options);
  for (const { pipeline } of [network, resources]) authorize(pipeline, token);
  return { network, resources };
}

function authorize(pipeline: Pipeline, token: string): void {
  pipeline.removePolicy({ name: 'bearerTokenAuthenticationPolicy' });
  pipeline.addPolicy({
    name: 'plainBearer',
    sendRequest: (request, next) => {
      request.headers.set('authorization', `Bearer ${token}`);
      return next(request);
    },
  });
}

async function send(
  origin: string,
  method: string,
  path: string,
  { body, headers = {} }: Sent = {},
): Promise<Received> {
  const url = path.startsWith('http') ? path : `${origin}${path}`;
  const versioned = /[?&]api-version=/.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}api-version=2026-01-01`;
  const response = await fetch(versioned, {
    method,
    headers: { authorization: 'Bearer dummy', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of pages) all.push(item);
  return all;
}

/** `status code`, or the status alone where nothing went wrong. */
export function outcome({ status, body }: Received): string {
  const code = body?.error?.code;
  return code === undefined ? String(status) : `${status} ${code}`;
}

export const networkBody = (more: object = {}, subnets: readonly object[] | undefined = undefined): object => ({
  location: LOCATION,
  ...more,
  properties: {
    addressSpace: { addressPrefixes: ['10.0.0.0/16'] },
    ...(subnets === undefined ? {} : { subnets }),
  },
});

export const subnetBody = (name: string, addressPrefix: string, more: object = {}): object => ({
  name,
  properties: { addressPrefix, ...more },
});

export const ruleBody = (name: string, priority: number, more: object = {}): object => ({
  name,
  properties: {
    protocol: 'Tcp',
    access: 'Allow',
    direction: 'Inbound',
    priority,
    sourceAddressPrefix: '*',
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: '443',
    ...more,
  },
});

export const groupBody = (...securityRules: readonly object[]): object => ({
  location: LOCATION,
  properties: { securityRules },
});
