import type { Readable } from 'node:stream';
import type {
  $Command,
  EC2ClientConfig,
  EC2ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-ec2';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { credentialFor } from '../../src/core/cloud-credential.ts';
import type { Result } from '../../src/core/failure.ts';
import { ownAgent } from '../../src/core/last-modified.ts';
import type { Access, Answer, Call } from '../../src/ports/provider.ts';
import { type Body, readBytes } from '../shared/json-answer.ts';
import { readInTurns } from './decode.ts';
import { toFailure } from './errors.ts';
import { type Action, actions, asked, bounds, isUnfiltered, requestFor } from './rate-limits.ts';
import * as sdk from './sdk.ts';

/** The way to one account and region: every request passes here, so that it is admitted, timed, reported and translated. */
export interface Client {
  /** `instances`: how many a launch, start, stop or termination is about. Throws only what `call.admit` throws. */
  send<I extends ServiceInputTypes, O extends ServiceOutputTypes>(
    ask: Ask,
    command: Ec2Command<I, O>,
    call: Call,
  ): Promise<Result<O>>;
  /** The owner of these credentials, as STS reports it. */
  identify(call: Call): Promise<Result<string>>;
  /** Called as a request that may change something is sent, and again once it is answered or lost. */
  onWrite(listener: () => void): void;
  close(): void;
}

export type Ask = Action | { readonly action: Action; readonly instances: number };
type Ec2Command<I extends ServiceInputTypes, O extends ServiceOutputTypes> = $Command<
  I,
  O,
  EC2ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

const connectMs = 5_000;
const answerMs = 60_000;

/** SDK retries are off: the limiter must see every request. Sockets are kept, as one reconcile makes many requests. */
export function makeClient({ scope, region, endpoint, credentials }: Access): Client {
  const own = { maxAttempts: 1, requestHandler, customUserAgent: ownAgent };
  const common = { region, ...own, ...(endpoint === undefined ? {} : { endpoint }) };
  const identity = identityOf(credentials, common);
  const ec2 = new sdk.ec2.EC2Client({ ...common, ...identity, streamCollector });
  readInTurns(ec2);
  const sts = new sdk.sts.STSClient({ ...common, ...identity });
  const listeners: (() => void)[] = [];
  return {
    send: async (ask, command, call) => {
      const { action, instances } = typeof ask === 'string' ? { action: ask, instances: 0 } : ask;
      const request = requestFor(scope, action, { instances, unfiltered: isUnfiltered(command.input) });
      const tell = (): void => {
        if (request.mutating) for (const listener of listeners) listener();
      };
      try {
        return await exchange({ action, request, call }, (abortSignal) => {
          tell();
          return ec2.send(command, { abortSignal });
        });
      } finally {
        tell();
      }
    },
    identify: async (call) => {
      const request = requestFor(scope, 'GetCallerIdentity');
      const answer = await exchange({ action: 'GetCallerIdentity', request, call }, (abortSignal) =>
        sts.send(new sdk.sts.GetCallerIdentityCommand({}), { abortSignal }),
      );
      return answer.ok ? { ok: true, value: answer.value.Account ?? '' } : answer;
    },
    onWrite: (listener) => void listeners.push(listener),
    close: () => {
      ec2.destroy();
      sts.destroy();
    },
  };
}

const requestHandler = {
  connectionTimeout: connectMs,
  requestTimeout: answerMs,
  throwOnRequestTimeout: true,
  httpAgent: { keepAlive: true, maxSockets: 64 },
  httpsAgent: { keepAlive: true, maxSockets: 64 },
} as const;

/** Reads an answer of EC2 within its bounds. The SDK's own collector has none, and copies the whole in one turn of the loop. */
const streamCollector = (stream: Readable): Promise<Uint8Array> =>
  readBytes(bodyOf(stream), { bytes: bounds.bytes, ms: answerMs }, asked);

const bodyOf = (stream: Readable): Body => ({ chunks: stream, giveUp: () => void stream.destroy() });

/** Nothing given: the SDK's own default chain. */
function identityOf(given: Access['credentials'], config: EC2ClientConfig): Pick<EC2ClientConfig, 'credentials'> {
  const keys = credentialFor('aws', given?.secret);
  if (keys !== undefined) {
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) } };
  }
  return given?.assumeRole === undefined ? {} : { credentials: assume(given.assumeRole, config) };
}

/** The role's keys come from STS at the same endpoint, where one is given, and are renewed as they expire. */
function assume(RoleArn: string, clientConfig: EC2ClientConfig): ReturnType<typeof fromTemporaryCredentials> {
  const { region, endpoint } = clientConfig;
  return fromTemporaryCredentials({
    params: { RoleArn, RoleSessionName: 'setpoint' },
    clientConfig: {
      ...(typeof region === 'string' ? { region } : {}),
      ...(typeof endpoint === 'string' ? { endpoint } : {}),
      maxAttempts: 1,
    },
  });
}

interface Admitted {
  readonly action: Action;
  readonly request: ReturnType<typeof requestFor>;
  readonly call: Call;
}

/** Admit → send → report. A refusal is a value; after a cancelled reconcile nothing is sent. */
async function exchange<O extends { readonly $metadata: { readonly requestId?: string | undefined } }>(
  { action, request, call }: Admitted,
  send: (signal: AbortSignal) => Promise<O>,
): Promise<Result<O>> {
  await call.admit(request);
  call.signal.throwIfAborted();
  const began = performance.now();
  const report = (answer: Omit<Answer, 'durationMs'>): void =>
    call.report(request, { ...answer, durationMs: performance.now() - began });
  try {
    const value = await send(call.signal);
    report({ requestId: value.$metadata.requestId });
    return { ok: true, value };
  } catch (error) {
    const failure = toFailure(error, { mutating: request.mutating, makesTwins: 'makesTwins' in actions[action] });
    report({ failure, requestId: failure.requestId });
    return { ok: false, failure };
  }
}
