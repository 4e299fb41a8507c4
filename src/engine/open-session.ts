import { parseCredential } from '../core/cloud-credential.ts';
import type { Failure, Result } from '../core/failure.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { TargetDoc } from '../core/spec/document.ts';
import { secretName } from '../core/spec/secret-ref.ts';
import type { Actuator } from '../ports/actuator.ts';
import type { Clock } from '../ports/clock.ts';
import { type Access, type Credentials, ListingFailed, type Provider, type Session } from '../ports/provider.ts';
import type { Asking, Secrets } from '../ports/secrets.ts';
import { discreet } from './discreet.ts';

/** What a session is opened with: `given` as the specs have it, resolved anew for each session. */
export interface Opening {
  readonly provider: Provider;
  readonly access: Omit<Access, 'credentials'>;
  readonly given: TargetDoc['spec']['credentials'];
}

export interface OpeningPorts {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * A session with the credentials of its target. Where these cannot be had it is one in which nobody answers: its scope
 * becomes a gap that says why, nothing is read or written there, and least of all with the credentials of the process.
 */
export async function openSession({ provider, access, given }: Opening, ports: OpeningPorts): Promise<Session> {
  if (given === undefined) return discreet(await provider.open(access, ports.clock));
  const { endpoint } = access;
  const asking = { signal: ports.signal, ...(endpoint === undefined ? {} : { endpoint }) };
  const credentials = await credentialsOf(given, provider, { asking, secrets: ports.secrets });
  if (!credentials.ok) return silent(access.scope, credentials.failure);
  const session = await provider.open({ ...access, credentials: credentials.value }, ports.clock);
  return discreet(session, credentials.value.secret?.());
}

interface Sources {
  readonly asking: Asking;
  readonly secrets: Secrets;
}

async function credentialsOf(
  { assumeRole, ...ref }: NonNullable<Opening['given']>,
  { cloud }: Provider,
  { asking, secrets }: Sources,
): Promise<Result<Credentials>> {
  if (assumeRole !== undefined) return { ok: true, value: { assumeRole } };
  if (cloud === 'memory')
    throw new Error('credentials mean nothing on memory; the specs must have been refused for it');
  const text = await secrets.resolve(ref, asking);
  if (!text.ok) return text;
  const held = parseCredential(cloud, text.value);
  if (held.ok) return { ok: true, value: { secret: () => held.value } };
  return { ok: false, failure: { ...held.failure, message: `${secretName(ref)}: ${held.failure.message}` } };
}

/** Its library has asked again already, so asking again here helps nobody. */
function silent(scope: ScopeKey, { code, message }: Failure): Session {
  const failure: Failure = { kind: 'terminal', code, message };
  const refuse = async (batch: readonly unknown[]): Promise<readonly Result<never>[]> =>
    batch.map(() => ({ ok: false, failure }));
  const actuator: Actuator = {
    // biome-ignore lint/correctness/useYield: a listing that cannot begin
    async *list() {
      throw new ListingFailed(code, message, failure);
    },
    read: refuse,
    create: refuse,
    update: refuse,
    delete: refuse,
  };
  const actuators = Object.fromEntries(kindNames.map((kind) => [kind, actuator]));
  return {
    scope,
    identify: async () => ({ ok: false, failure }),
    actuators: actuators as unknown as Session['actuators'], // why: one that refuses whatever kind it is asked about
    close: async () => undefined,
  };
}
