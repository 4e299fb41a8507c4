import type { Action, ScopePlan } from '../core/action.ts';
import { groupByMany } from '../core/group-by-many.ts';
import { type Gate, order, type Step } from '../core/order.ts';
import { nobodyAround, type Surroundings } from '../core/traffic/neighbours.ts';
import type { Clock } from '../ports/clock.ts';
import type { Executed } from './execute.ts';

/** What a convergence remembers from pass to pass, so that it ends. */
export interface Memo {
  sort(plan: Pick<ScopePlan, 'actions' | 'around'>): Sorted;
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

/**
 * A removal that something stands in the way of may go after a look, when that has gone. One that is refused so often, for so long, is
 * given up here; a fleet keeps when it is tried again. Of what is made or changed the patience of the convergence is the end: somebody
 * else is at work on it, or the cloud does not show yet what it rests on.
 */
const mostConflicts = 3;
const conflictMs = 15_000;

export function memo(clock: Clock): Memo {
  const givenUp = new Set<string>();
  const conflicts = new Map<string, { readonly since: number; readonly times: number }>();
  const clash = (key: string): void => {
    const { since, times } = conflicts.get(key) ?? { since: clock.now(), times: 0 };
    conflicts.set(key, { since, times: times + 1 });
    if (times + 1 >= mostConflicts && clock.now() - since >= conflictMs) givenUp.add(key);
  };
  const doneAt = new Map<string, number>();
  const isEcho = (action: Action): boolean => clock.now() - (doneAt.get(keyOf(action)) ?? 0) < echoMs;

  return {
    sort: ({ actions, around = nobodyAround }) => {
      const hopeless = withDependents(actions, around, { of: (action) => givenUp.has(keyOf(action)), via: () => true });
      const rest = actions.filter((action) => !hopeless.has(action));
      // why: what takes a rule away goes by what the cloud shows, and not by what a call answered
      const echoes = withDependents(rest, around, { of: isEcho, via: (node) => 'seen' in node && node.seen });
      return {
        actions: rest.filter((action) => !echoes.has(action)),
        echoes: [...echoes],
        givenUp: [...hopeless],
      };
    },
    learn: (actions, executed) => {
      const keys = new Map(actions.map((action) => [`${action.verb} ${action.address}`, keyOf(action)]));
      for (const { verb, address } of executed.settled) doneAt.set(keys.get(`${verb} ${address}`) ?? '', clock.now());
      for (const { verb, address, failure } of executed.failed)
        if (verb === 'delete' && failure.kind === 'conflict') clash(keys.get(`${verb} ${address}`) ?? '');
      for (const done of hopelessIn(executed)) givenUp.add(keys.get(done) ?? '');
    },
  };
}

function hopelessIn({ failed, findings }: Executed): readonly string[] {
  const people = failed.flatMap(({ verb, address, expected }) => (expected === 'person' ? [`${verb} ${address}`] : []));
  const refused = findings.flatMap((finding) =>
    finding.type === 'withheld' && finding.code !== 'depends' ? [`${finding.action} ${finding.address}`] : [],
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

/** Those that are such, and all that needs them: first of all by way of these nodes, then by any. */
function withDependents(
  actions: readonly Action[],
  around: Surroundings,
  such: { readonly of: (action: Action) => boolean; readonly via: (node: Step | Gate) => boolean },
): ReadonlySet<Action> {
  if (!actions.some(such.of)) return new Set();
  const { steps, gates } = order(actions, around);
  const nodes = [...steps, ...gates];
  const dependents = groupByMany([...nodes.entries()], ([, { needs }]) => needs);
  const first = [...steps.entries()].filter(([, { action }]) => such.of(action)).map(([at]) => at);
  const isSuch = new Set(first);
  const found = new Set(first);
  const next = [...first];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    for (const [dependent, node] of dependents.get(at) ?? []) {
      const isFirst = isSuch.has(at);
      if (found.has(dependent) || (isFirst && !such.via(node))) continue;
      found.add(dependent);
      next.push(dependent);
    }
  }
  return new Set([...found].flatMap((at) => steps[at]?.action ?? []));
}
