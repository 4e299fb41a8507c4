import type { CloudCredential } from '../core/cloud-credential.ts';
import type { Failure, Result } from '../core/failure.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import type { Actuator, Call, Health, Launch } from '../ports/actuator.ts';
import type { LaunchAnswer, LaunchQuestion } from '../ports/launch-check.ts';
import { ListingFailed, type Session } from '../ports/provider.ts';
import { type Blot, blot } from './blot.ts';

/**
 * The same session, whose failures repeat no secret: clouds and proxies quote what they refuse, and a failure goes into logs,
 * the ledger and answers. Known are the session's own credential and what machines were given to boot with.
 */
export function discreet(session: Session, credential?: CloudCredential): Session {
  const words = blot();
  for (const text of textsOf(credential)) words.learn(text);
  const actuators = Object.fromEntries(
    kindNames.map((kind) => [kind, quiet(session.actuators[kind] as unknown as Actuator, words)]), // why: each goes on working on its own kind
  );
  return {
    scope: session.scope,
    identify: async (call) => cleared(await session.identify(around(call, words)), words),
    ...(session.resume === undefined
      ? {}
      : { resume: async (kept, call) => session.resume?.(kept, around(call, words)) }),
    ...(session.canLaunch === undefined
      ? {}
      : { canLaunch: async (question, call) => answerOf(session, { question, call: around(call, words) }, words) }),
    actuators: actuators as unknown as Session['actuators'], // why: as above
    close: () => session.close(),
  };
}

async function answerOf(
  session: Session,
  { question, call }: { readonly question: LaunchQuestion; readonly call: Call },
  words: Blot,
): Promise<LaunchAnswer> {
  const answer = (await session.canLaunch?.(question, call)) ?? { as: 'possible' };
  return answer.as === 'possible' ? answer : { ...answer, failure: clear(answer.failure, words) };
}

/** Also what only some have: left out here, it would be missed by nobody but the clouds' users. */
type Whole = { readonly [K in keyof Required<Actuator>]: Actuator[K] | undefined };

function quiet(actuator: Actuator, words: Blot): Whole {
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

const around = (call: Call, words: Blot): Call => ({
  ...call,
  secret: async (address) => {
    const launch = await call.secret(address);
    for (const text of launchTexts(launch)) words.learn(text);
    return launch;
  },
  report: (request, answer) =>
    call.report(request, answer.failure === undefined ? answer : { ...answer, failure: clear(answer.failure, words) }),
});

const cleared = <T>(result: Result<T>, words: Blot): Result<T> =>
  result.ok ? result : { ok: false, failure: clear(result.failure, words) };

const unquoted = (result: Result<Health>, words: Blot): Result<Health> =>
  !result.ok || result.value.state === 'passed'
    ? result
    : { ok: true, value: { ...result.value, detail: words.out(result.value.detail) } };

const clear = (failure: Failure, words: Blot): Failure => ({
  ...failure,
  code: words.out(failure.code),
  message: words.out(failure.message),
});

const listing = ({ code, message, failure }: ListingFailed, words: Blot): ListingFailed =>
  new ListingFailed(words.out(code), words.out(message), failure && clear(failure, words));

const launchTexts = ({ userData, access }: Launch): readonly string[] =>
  [userData, access?.password].filter((text) => text !== undefined);

/** Names in a credential are no secrets, and people need them in what a cloud says: who was denied. */
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
