import type { Failure } from '../core/failure.ts';
import type { CloudId } from '../core/resource.ts';
import type { Session } from '../ports/provider.ts';
import type { Desk } from './desk.ts';
import type { Outcome } from './outcome.ts';
import type { Ready } from './request.ts';

/** What was found to stand where, by session and id: a pass that is refused again does not ask again. */
const found = new WeakMap<Session, Map<CloudId, Promise<string>>>();

/**
 * The outcomes, and of each deletion that the cloud refused because something stands there: what that is. It may be of a kind that
 * nobody lists, so it is asked for only now, once a pass.
 */
export function namingUsers(
  ready: readonly Ready[],
  outcomes: readonly Outcome[],
  desk: Desk,
): Promise<readonly Outcome[]> {
  return Promise.all(
    outcomes.map(async (outcome, i): Promise<Outcome> => {
      const item = ready[i]?.item;
      if (item?.verb !== 'delete' || (outcome.as !== 'stale' && outcome.as !== 'failed')) return outcome;
      const { failure } = outcome;
      const { action } = item;
      if (failure.kind !== 'conflict' || !('observed' in action)) return outcome;
      const users = await usersOf(action.kind, action.observed.id, desk);
      return users === '' ? outcome : { ...outcome, failure: named(failure, users) };
    }),
  );
}

function usersOf(kind: keyof Session['actuators'], id: CloudId, { at, line }: Desk): Promise<string> {
  const { session } = at.site;
  const actuator = session.actuators[kind];
  if (actuator.usersOf === undefined) return Promise.resolve('');
  const known = found.get(session) ?? new Map<CloudId, Promise<string>>();
  found.set(session, known);
  const asked = known.get(id) ?? actuator.usersOf(id, line.reading()).then(sentence);
  known.set(id, asked);
  return asked;
}

type Users = Awaited<ReturnType<NonNullable<Session['actuators']['subnet']['usersOf']>>>;

/** That they could not be read is said, and is no failure of its own. */
function sentence(users: Users): string {
  if (!users.ok) return `What stands there could not be read: ${users.failure.message}`;
  return users.value.length === 0 ? '' : `There stands ${users.value.join('; ')}.`;
}

const named = (failure: Failure, users: string): Failure => ({
  ...failure,
  message: `${failure.message.replace(/\.?$/, '.')} ${users}`,
});
