import { isLoopback } from '../core/documents/fields.ts';
import { parseSecretUri, type SecretRef, type SecretUri, secretName } from '../core/documents/secret-ref.ts';
import type { Result } from '../core/failure.ts';
import type { Asking, SecretStores, Secrets } from '../ports/secrets.ts';
import { readSecretFile } from './file.ts';
import { secretText, unusable } from './secret-text.ts';

export interface Ways {
  readonly environment: Environment;
  /** SETPOINT_SECRETS_DIR. */
  readonly folder: string | undefined;
  readonly stores: SecretStores;
  /** The deadline of a store, its library's retries included. */
  readonly deadlineMs?: number;
}

/** Variables, files, and the stores of the clouds. A failure begins with the name of the reference. */
export const secretsBy = (ways: Ways): Secrets => ({
  resolve: async (ref, asking) => {
    asking.signal.throwIfAborted();
    const held = await read(ref, asking, ways);
    const text = held.ok ? secretText(held.value) : held;
    if (text.ok) return text;
    const { failure } = text;
    return { ok: false, failure: { ...failure, message: `${secretName(ref)}: ${failure.message}` } };
  },
});

function read(ref: SecretRef, asking: Asking, ways: Ways): Promise<Result<string | Uint8Array>> {
  if (ref.env !== undefined) return Promise.resolve(readVariable(ref.env, ways.environment));
  if (ref.file !== undefined) return readSecretFile(ref.file, ways.folder);
  return readStore(ref.uri ?? '', asking, ways);
}

async function readStore(
  text: string,
  { signal, endpoint }: Asking,
  { stores, deadlineMs = 15_000 }: Ways,
): Promise<Result<string | Uint8Array>> {
  const uri = parseSecretUri(text);
  if (uri === undefined) return unusable('it is the URI of no secret');
  if (endpoint !== undefined && !isLoopback(endpoint))
    return unusable('stores are asked in their cloud or on loopback');
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  const asking: Asking = {
    signal: AbortSignal.any([signal, deadline.signal]),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
  try {
    // why: looking for credentials does not end with every library's signal
    const held = await Promise.race([ask(uri, asking, stores), ended(asking.signal)]).catch(() => defect);
    signal.throwIfAborted();
    return deadline.signal.aborted ? late(deadlineMs) : held;
  } finally {
    clearTimeout(timer);
  }
}

async function ask(uri: SecretUri, asking: Asking, stores: SecretStores): Promise<Result<string | Uint8Array>> {
  switch (uri.cloud) {
    case 'aws':
      return stores.aws(uri, asking);
    case 'gcp':
      return stores.gcp(uri, asking);
    case 'azure':
      return stores.azure(uri, asking);
  }
}

/** Whoever waits for it looks at the signal again. */
function ended(signal: AbortSignal): Promise<Result<never>> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(defect);
    signal.addEventListener('abort', () => resolve(defect), { once: true });
  });
}

const late = (deadlineMs: number): Result<never> => ({
  ok: false,
  failure: {
    kind: 'retryable',
    code: 'secret-store-away',
    message: `its store did not answer within ${deadlineMs / 1000} s`,
  },
});

/** An exception of a store may contain the secret, so nothing of it is kept. */
const defect = unusable('its store sent an invalid answer');

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of this process. Only those set aside for us: a spec must not name `AWS_SECRET_ACCESS_KEY`. */
function readVariable(name: string, environment: Environment): Result<string> {
  if (!name.startsWith('SETPOINT_SECRET_')) return refused('only variables that begin SETPOINT_SECRET_ are read');
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined ? missing : { ok: true, value };
}

const refused = (message: string): Result<never> => ({
  ok: false,
  failure: { kind: 'terminal', code: 'secret-refused', message },
});

const missing: Result<never> = {
  ok: false,
  failure: { kind: 'not-found', code: 'secret-missing', message: 'this process has no such variable' },
};
