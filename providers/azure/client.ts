import { ComputeManagementClient, restorePoller as restoreCompute } from '@azure/arm-compute';
import { NetworkManagementClient, restorePoller as restoreNetwork } from '@azure/arm-network';
import { ResourceManagementClient } from '@azure/arm-resources';
import type { TokenCredential } from '@azure/core-auth';
import type { Pipeline, PipelinePolicy } from '@azure/core-rest-pipeline';
import { credentialFor } from '../../src/core/cloud-credential.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Access, Call, KeptOperation } from '../../src/ports/provider.ts';
import { readWhole } from '../shared/json-answer.ts';
import { joinPiece } from '../shared/json-pieces.ts';
import { nextTurn } from '../shared/turns.ts';
import { during, type Exchange, failureIn, watched } from './exchange.ts';
import { carryOut, type Poller, resumeOperation } from './operation.ts';
import { type RawResource, readRaw } from './raw.ts';

/** The way to one subscription: every request passes `watched`, so that it is admitted, timed, reported and translated. */
export interface Client {
  readonly sdk: Sdk;
  /** One request, or one page. `send` must not return a poller. Throws only what `call.admit` throws. */
  ask<T>(call: Call, send: (sdk: Sdk) => Promise<T>): Promise<Result<T>>;
  /** One page of a listing: the first, or that to which a link leads. */
  page<T>(call: Call, list: Pages<T>, link: string | undefined): Promise<Result<Page<T>>>;
  /** The same for a GET, answered as the cloud wrote it: the SDK's models drop what they do not know. */
  raw(call: Call, send: (sdk: Sdk) => Promise<unknown>): Promise<Result<RawResource>>;
  /** A write that may begin a long-running operation, awaited to its end. `body`: sent as it is, in place of the SDK's. */
  run<T>(call: Call, start: (sdk: Sdk) => Poller<T>, body?: string): Promise<Result<T>>;
  /** Awaits what an earlier process began and kept. */
  resume(kept: readonly KeptOperation[], call: Call): Promise<void>;
  /** Called as something may have changed. */
  onWrite(listener: () => void): void;
}

/** A listing as the SDK makes it. */
export type Pages<T> = (sdk: Sdk) => {
  byPage(settings: {
    continuationToken?: string;
  }): AsyncIterableIterator<readonly T[] & { continuationToken?: string }>;
};

/** `next`: the link to the next page; the last has none. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface Sdk {
  readonly network: NetworkManagementClient;
  readonly compute: ComputeManagementClient;
  readonly resources: ResourceManagementClient;
}

const usualAnswerMs = 60_000;

const publicCloud = 'https://management.azure.com';

/** SDK retries and redirects are off: the limiter must see every request, and our token goes nowhere else. */
export async function makeClient(access: Access, clock: Clock, answerMs = usualAnswerMs): Promise<Client> {
  const credential = await credentialOf(access);
  const listeners: (() => void)[] = [];
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const { scope, endpoint = publicCloud } = access;
  const sdk = sdkFor(access, credential, watched({ scope, origin: new URL(endpoint).origin, onWrite: tell, answerMs }));
  const resumption = { clock, restore: restoring(sdk) };
  const read = async <T>(exchange: Exchange, send: (sdk: Sdk) => Promise<T>): Promise<Result<T>> => {
    try {
      return { ok: true, value: await readWhole(exchange, () => during(exchange, () => send(sdk))) };
    } catch (error) {
      return { ok: false, failure: failureIn(exchange, error) };
    }
  };
  return {
    sdk,
    ask: (call, send) => read({ call, reads: 'resource' }, send),
    page: (call, list, link) => read({ call, reads: 'page' }, () => pageAt(list(sdk), link)),
    raw: async (call, send) => {
      const exchange: Exchange = { call, reads: 'resource' };
      try {
        await during(exchange, () => send(sdk));
        return { ok: true, value: readRaw(await bodyOf(exchange)) };
      } catch (error) {
        return { ok: false, failure: failureIn(exchange, error) };
      }
    },
    run: async (call, start, body) => {
      try {
        return await carryOut(() => start(sdk), { call, body }, resumption);
      } finally {
        tell();
      }
    },
    resume: async (kept, call) => {
      await Promise.all(kept.map((one) => resumeOperation(one, call, resumption)));
      tell();
    },
    onWrite: (listener) => void listeners.push(listener),
  };
}

/** Asked of the SDK anew, for a page that comes in pieces is asked for once more for each of them. */
async function pageAt<T>(listing: ReturnType<Pages<T>>, link: string | undefined): Promise<Page<T>> {
  const { value } = await listing.byPage(link === undefined ? {} : { continuationToken: link }).next();
  return { items: value, next: value.continuationToken };
}

/** As the cloud wrote it, read piece by piece where it is long. */
async function bodyOf({ answer, pieces }: Exchange): Promise<unknown> {
  let body: unknown = JSON.parse(answer?.body ?? '');
  while (pieces !== undefined && !pieces.isDone) {
    await nextTurn();
    const { text, joins } = pieces.next();
    body = joinPiece(body, JSON.parse(new TextDecoder().decode(text)), joins);
  }
  return body;
}

function sdkFor({ account, endpoint }: Access, credential: TokenCredential | undefined, policy: PipelinePolicy): Sdk {
  const options = {
    endpoint: endpoint ?? publicCloud,
    allowInsecureConnection: endpoint?.startsWith('http:') ?? false,
    retryOptions: { maxRetries: 0 },
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: 'setpoint' },
    additionalPolicies: [{ policy, position: 'perRetry' as const }],
  };
  const given = credential ?? anybody;
  const sdk = {
    network: new NetworkManagementClient(given, account, options),
    compute: new ComputeManagementClient(given, account, options),
    resources: new ResourceManagementClient(given, account, options),
  };
  if (endpoint !== undefined) for (const { pipeline } of Object.values(sdk)) sendPlainly(pipeline, given);
  return sdk;
}

const anybody: TokenCredential = {
  getToken: async () => ({ token: 'sandbox', expiresOnTimestamp: Number.MAX_SAFE_INTEGER }),
};

const armScope = 'https://management.azure.com/.default';

/** The SDK sends no token over plain http, which is all that a sandbox on this machine speaks. */
function sendPlainly(pipeline: Pipeline, credential: TokenCredential): void {
  pipeline.removePolicy({ name: 'bearerTokenAuthenticationPolicy' });
  pipeline.addPolicy({
    name: 'setpointPlainToken',
    sendRequest: async (request, next) => {
      const token = await credential.getToken(armScope);
      if (token) request.headers.set('Authorization', `Bearer ${token.token}`);
      return next(request);
    },
  });
}

/** The SDK finds by the URL what an operation is of; the method that it also wants is only named in its errors. */
const restoring =
  ({ network, compute }: Sdk) =>
  (state: string): Poller<unknown> =>
    /\/providers\/microsoft\.compute\//i.test(state)
      ? restoreCompute(compute, state, compute.virtualMachines.createOrUpdate)
      : restoreNetwork(network, state, network.virtualNetworks.createOrUpdate);

/**
 * Our identity: from the target's secret, else from the SDK's own chain. A sandbox or emulator takes anybody, so none is looked for there
 * unless the target names one. Resolves late, as `@azure/identity` is slow to load.
 */
async function credentialOf({ endpoint, credentials }: Access): Promise<TokenCredential | undefined> {
  const principal = credentialFor('azure', credentials?.secret);
  if (principal === undefined && endpoint !== undefined) return undefined;
  const identity = await import('@azure/identity');
  if (principal === undefined) return new identity.DefaultAzureCredential();
  const { tenantId, clientId, clientSecret } = principal;
  return new identity.ClientSecretCredential(tenantId, clientId, clientSecret);
}
