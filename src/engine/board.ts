import type { Action } from '../core/action.ts';
import type { Order, Step } from '../core/order.ts';
import type { Ref } from '../core/resource.ts';
import { type Outcome, unsent } from './outcome.ts';

/** Which steps have ended and how, and which may start. */
export interface Board {
  outcomeOf(at: number): Outcome;
  /** Actions that may be sent now, each given once; what cannot go well any more ends here. */
  ready(): readonly Action[];
  end(action: Action, outcome: Outcome): void;
  /** The containers that steps wait for, once all their new atoms have an outcome; given once. */
  toVerify(): ReadonlyMap<Ref, readonly Outcome[]> | undefined;
  verified(containers: ReadonlySet<Ref>): void;
}

export function boardOf({ steps, fresh }: Order): Board {
  const outcomes = new Array<Outcome | undefined>(steps.length);
  const positions = new Map(steps.map(({ action }, at) => [action, at]));
  const dependents = dependentsOf(steps);
  const missing = steps.map(({ needs, follows }) => needs.length + follows.length);
  const free: number[] = [...steps.keys()].filter((at) => missing[at] === 0);
  const held: number[] = [];
  const news = [...fresh.values()].flat();
  let seen: ReadonlySet<Ref> | undefined;
  let asked = false;

  const end = (at: number, outcome: Outcome): void => {
    outcomes[at] = outcome;
    for (const next of dependents[at] ?? []) {
      missing[next] = (missing[next] ?? 0) - 1;
      if (missing[next] === 0) free.push(next);
    }
  };

  /** The action if it may be sent; else its step ends or is held. */
  const start = (at: number, step: Step): readonly Action[] => {
    const hindrance = hindranceOf(step, steps, outcomes) ?? unverified(step, seen);
    if (hindrance === undefined && (step.container === undefined || seen)) return [step.action];
    if (hindrance) end(at, hindrance);
    else held.push(at);
    return [];
  };

  return {
    outcomeOf: (at) => outcomes[at] ?? unsent,
    ready: () => {
      const actions: Action[] = [];
      // why: `start` may free more while this runs
      for (const at of free) for (const step of steps.slice(at, at + 1)) actions.push(...start(at, step));
      free.length = 0;
      return actions;
    },
    end: (action, outcome) => end(positions.get(action) ?? -1, outcome),
    toVerify: () => {
      if (asked || held.length === 0 || news.some((at) => outcomes[at] === undefined)) return undefined;
      asked = true;
      return new Map([...fresh].map(([container, of]) => [container, of.map((at) => outcomes[at] ?? unsent)]));
    },
    verified: (containers) => {
      seen = containers;
      free.push(...held.splice(0));
    },
  };
}

function dependentsOf(steps: readonly Step[]): readonly (readonly number[])[] {
  const dependents: number[][] = steps.map(() => []);
  for (const [at, { needs, follows }] of steps.entries()) {
    for (const before of [...needs, ...follows]) dependents[before]?.push(at);
  }
  return dependents;
}

function hindranceOf(
  { needs }: Step,
  steps: readonly Step[],
  outcomes: readonly (Outcome | undefined)[],
): Outcome | undefined {
  const failed = needs.find((at) => outcomes[at]?.as !== 'done');
  if (failed === undefined) return undefined;
  if (outcomes[failed]?.as === 'unsent') return unsent;
  return { as: 'withheld', code: 'depends', why: `waits for ${steps[failed]?.action.address}, which did not go well.` };
}

function unverified({ container }: Step, seen: ReadonlySet<Ref> | undefined): Outcome | undefined {
  if (container === undefined || seen === undefined || seen.has(container)) return undefined;
  return {
    as: 'withheld',
    code: 'depends',
    why: `not all new rules of ${container} were seen on the cloud yet; nothing is taken from it before.`,
  };
}
