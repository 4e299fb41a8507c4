import type { Action } from '../core/action.ts';
import { order } from '../core/order.ts';
import type { Clock } from '../ports/clock.ts';
import type { Executed } from './execute.ts';

/** What a convergence remembers from pass to pass, so that it ends. */
export interface Memo {
  sort(actions: readonly Action[]): Sorted;
  learn(actions: readonly Action[], executed: Executed): void;
}

export interface Sorted {
  /** To be done. */
  readonly actions: readonly Action[];
  /** Done a moment ago: a listing that lags still shows the old state. */
  readonly echoes: readonly Action[];
  /** A person must act first, or on what they rest on. */
  readonly givenUp: readonly Action[];
}

/** A listing that lags longer makes us write once more, which does no harm. */
const echoMs = 60_000;

export function memo(clock: Clock): Memo {
  const givenUp = new Set<string>();
  const doneAt = new Map<string, number>();
  const isEcho = (action: Action): boolean => clock.now() - (doneAt.get(keyOf(action)) ?? 0) < echoMs;

  return {
    sort: (actions) => {
      const hopeless = withDependents(actions, (action) => givenUp.has(keyOf(action)));
      const rest = actions.filter((action) => !hopeless.has(action));
      return {
        actions: rest.filter((action) => !isEcho(action)),
        echoes: rest.filter(isEcho),
        givenUp: [...hopeless],
      };
    },
    learn: (actions, executed) => {
      const keys = new Map(actions.map((action) => [`${action.verb} ${action.address}`, keyOf(action)]));
      for (const { verb, address } of executed.settled) doneAt.set(keys.get(`${verb} ${address}`) ?? '', clock.now());
      for (const done of hopelessIn(executed)) givenUp.add(keys.get(done) ?? '');
    },
  };
}

function hopelessIn({ failed, findings }: Executed): readonly string[] {
  const people = failed.flatMap(({ verb, address, expected }) => (expected === 'person' ? [`${verb} ${address}`] : []));
  const refused = findings.flatMap((finding) =>
    finding.type === 'withheld' && (finding.code === 'limit' || finding.code === 'stale')
      ? [`${finding.action} ${finding.address}`]
      : [],
  );
  return [...people, ...refused];
}

/** A creation after a removal is a new matter, and so is an update that writes something else. */
function keyOf(action: Action): string {
  switch (action.verb) {
    case 'create':
      return `create ${action.address}`;
    case 'update':
    case 'adopt':
    case 'replace':
      return `${action.verb} ${action.address} ${action.observed.id} ${JSON.stringify(action.changes)}`;
    case 'delete':
      return `delete ${action.address} ${action.observed.id}`;
    case 'forget':
      return `forget ${action.address} ${action.id}`;
  }
}

/** Those that are hopeless, and all that needs them. */
function withDependents(actions: readonly Action[], isHopeless: (action: Action) => boolean): ReadonlySet<Action> {
  const hopeless = new Set(actions.filter(isHopeless));
  if (hopeless.size === 0) return hopeless;
  const { steps, fresh } = order(actions);
  for (let before = -1; before < hopeless.size; ) {
    before = hopeless.size;
    for (const { action, needs, container } of steps) {
      const atoms = container === undefined ? [] : (fresh.get(container) ?? []);
      if ([...needs, ...atoms].some((at) => steps.slice(at, at + 1).some((step) => hopeless.has(step.action)))) {
        hopeless.add(action);
      }
    }
  }
  return hopeless;
}
