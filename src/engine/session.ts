import { type CloudCredential, parseCredential } from '../core/cloud-credential.ts';
import type { TargetDoc } from '../core/documents/document.ts';
import { secretName } from '../core/documents/secret-ref.ts';
import type { Failure, Result } from '../core/failure.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import type { ImageFacts, Observed, OuterFilters } from '../core/observed.ts';
import type { ScopeKey } from '../core/resource.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import {
  type Access,
  type Actuator,
  type Call,
  type Credentials,
  type Health,
  type Launch,
  type LaunchAnswer,
  type LaunchQuestion,
  ListingFailed,
  type Provider,
  type Session,
} from '../ports/provider.ts';
import type { Asking, Secrets } from '../ports/secrets.ts';

/** The credentials to open a session with: `given` as the specs have them, resolved anew for each session. */
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
  if (given === undefined) return redactedSession(await provider.open(access, ports.clock));
  const { endpoint } = access;
  const asking = { signal: ports.signal, ...(endpoint === undefined ? {} : { endpoint }) };
  const credentials = await credentialsOf(given, provider, { asking, secrets: ports.secrets });
  if (!credentials.ok) return silent(access.scope, credentials.failure);
  const session = await provider.open({ ...access, credentials: credentials.value }, ports.clock);
  return redactedSession(session, credentials.value.secret?.());
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

/**
 * The same session, whose failures repeat no secret: clouds and proxies quote what they refuse, and a failure goes into logs,
 * the ledger and answers. Known are the session's own credential and what machines were given to boot with.
 */
export function redactedSession(session: Session, credential?: CloudCredential): Session {
  const words = redactor();
  for (const text of textsOf(credential)) words.learn(text);
  const actuators = Object.fromEntries(
    kindNames.map((kind) => [kind, redactedActuator(session.actuators[kind] as unknown as Actuator, words)]), // why: each goes on working on its own kind
  );
  return {
    scope: session.scope,
    identify: async (call) => cleared(await session.identify(around(call, words)), words),
    ...(session.checkRegions === undefined
      ? {}
      : {
          checkRegions: async (regions, call) =>
            clearedAll(await session.checkRegions?.(regions, around(call, words)), words),
        }),
    ...(session.resume === undefined
      ? {}
      : { resume: async (kept, call) => session.resume?.(kept, around(call, words)) }),
    ...(session.canLaunch === undefined
      ? {}
      : { canLaunch: async (question, call) => answerOf(session, { question, call: around(call, words) }, words) }),
    ...(session.outerFilters === undefined
      ? {}
      : { outerFilters: async (subnets, call) => unlistedOf(session, { subnets, call: around(call, words) }, words) }),
    ...(session.imageFacts === undefined
      ? {}
      : { imageFacts: async (images, call) => unreadOf(session, { images, call: around(call, words) }, words) }),
    actuators: actuators as unknown as Session['actuators'], // why: as above
    close: () => session.close(),
  };
}

async function unlistedOf(
  session: Session,
  { subnets, call }: { readonly subnets: readonly Observed<'subnet'>[]; readonly call: Call },
  words: Redactor,
): Promise<OuterFilters['subnets']> {
  const found = (await session.outerFilters?.(subnets, call)) ?? [];
  return found.map((one) => ({ ...one, unlisted: one.unlisted.map((reason) => words.out(reason)) }));
}

async function unreadOf(
  session: Session,
  { images, call }: { readonly images: readonly string[]; readonly call: Call },
  words: Redactor,
): Promise<Pick<ImageFacts, 'read' | 'unread'>> {
  const { read, unread } = (await session.imageFacts?.(images, call)) ?? { read: [], unread: [] };
  return { read, unread: unread.map((one) => ({ ...one, reason: words.out(one.reason) })) };
}

function clearedAll(found: Result<readonly Failure[]> | undefined, words: Redactor): Result<readonly Failure[]> {
  if (found === undefined) return { ok: true, value: [] };
  return found.ok ? { ok: true, value: found.value.map((failure) => clear(failure, words)) } : cleared(found, words);
}

async function answerOf(
  session: Session,
  { question, call }: { readonly question: LaunchQuestion; readonly call: Call },
  words: Redactor,
): Promise<LaunchAnswer> {
  const answer = (await session.canLaunch?.(question, call)) ?? { as: 'possible' };
  return answer.as === 'possible' ? answer : { ...answer, failure: clear(answer.failure, words) };
}

/** Also what only some have: left out here, it would be missed by nobody but the clouds' users. */
type Whole = { readonly [K in keyof Required<Actuator>]: Actuator[K] | undefined };

function redactedActuator(actuator: Actuator, words: Redactor): Whole {
  const { health, usersOf } = actuator;
  const many = async <T>(results: Promise<readonly Result<T>[]>): Promise<readonly Result<T>[]> =>
    (await results).map((result) => cleared(result, words));
  return {
    async *list(call) {
      try {
        yield* actuator.list(around(call, words));
      } catch (error) {
        throw error instanceof ListingFailed ? listing(error, words) : error;
      }
    },
    read: (ids, call) => many(actuator.read(ids, around(call, words))),
    health:
      health &&
      (async (ids, call) => (await many(health(ids, around(call, words)))).map((result) => unquoted(result, words))),
    usersOf: usersOf && (async (id, call) => cleared(await usersOf(id, around(call, words)), words)),
    create: (batch, call) => many(actuator.create(batch, around(call, words))),
    update: (batch, call) => many(actuator.update(batch, around(call, words))),
    delete: (batch, call) => many(actuator.delete(batch, around(call, words))),
  };
}

const around = (call: Call, words: Redactor): Call => ({
  ...call,
  secret: async (address) => {
    const launch = await call.secret(address);
    for (const text of launchTexts(launch)) words.learn(text);
    return launch;
  },
  report: (request, answer) =>
    call.report(request, answer.failure === undefined ? answer : { ...answer, failure: clear(answer.failure, words) }),
});

const cleared = <T>(result: Result<T>, words: Redactor): Result<T> =>
  result.ok ? result : { ok: false, failure: clear(result.failure, words) };

const unquoted = (result: Result<Health>, words: Redactor): Result<Health> =>
  !result.ok || result.value.state === 'passed'
    ? result
    : { ok: true, value: { ...result.value, detail: words.out(result.value.detail) } };

const clear = (failure: Failure, words: Redactor): Failure => ({
  ...failure,
  code: words.out(failure.code),
  message: words.out(failure.message),
});

const listing = ({ code, message, failure }: ListingFailed, words: Redactor): ListingFailed =>
  new ListingFailed(words.out(code), words.out(message), failure && clear(failure, words));

const launchTexts = ({ userData, access }: Launch): readonly string[] =>
  [userData, access?.password].filter((text) => text !== undefined);

/** Names in a credential are no secrets. People need them in messages of a cloud, such as the name of a denied user. */
function textsOf(credential: CloudCredential | undefined): readonly string[] {
  switch (credential?.cloud) {
    case undefined:
      return [];
    case 'aws':
      return [credential.secretAccessKey, credential.sessionToken].filter((text) => text !== undefined);
    case 'gcp':
      return [credential.privateKey];
    case 'azure':
      return [credential.clientSecret];
  }
}

/** Redacts texts, however they are written. */
interface Redactor {
  /** Redacts this text from now on, and each long line of it: a quote of a script may be one line. */
  learn(secret: string): void;
  out(text: string): string;
}

/** Shorter texts occur in many harmless words, and clouds take no such password. */
const shortest = 6;
/** Lines of scripts that are shorter say little, and stand in many. */
const shortestLine = 12;

export const redactedText = '(a secret)';

export function redactor(): Redactor {
  const known = new Set<string>();
  return {
    learn: (secret) => {
      for (const part of [secret, ...secret.split(/\r?\n/).filter((calls) => calls.trim().length >= shortestLine)])
        if (part.length >= shortest) for (const form of formsOf(part)) known.add(form);
    },
    // why: the longest first, so that no piece of it is left standing
    out: (text) =>
      [...known].sort((a, b) => b.length - a.length).reduce((left, form) => left.replaceAll(form, redactedText), text),
  };
}

/** As it is, in JSON, in a URL, in base64. */
function formsOf(text: string): readonly string[] {
  const base64 = btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
  return [text, text.trim(), JSON.stringify(text).slice(1, -1), encodeURIComponent(text), base64].filter(
    (form) => form.length >= shortest,
  );
}
