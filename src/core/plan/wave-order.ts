import type { Action } from '../action.ts';
import { documentOfReplica } from '../address.ts';
import { kindNames } from '../kinds/kinds.ts';
import { order, type Step } from '../order.ts';
import type { Address, Kind } from '../resource.ts';
import { compareText } from '../text-order.ts';

/** What must stand or be gone before each action can be carried out, by position. */
export type Prerequisites = ReadonlyMap<Action, readonly Action[]>;

/**
 * As in order.ts, new atoms before old ones go included. Left out is what only keeps machines of one document from being touched at
 * once: it says nothing about which comes first.
 */
export function prerequisitesOf(actions: readonly Action[], which: 'needed' | 'all'): Prerequisites {
  const { steps, fresh } = order(actions);
  return new Map(
    steps.map((step) => {
      const atoms = step.container === undefined ? [] : (fresh.get(step.container) ?? []);
      const before = [...step.needs, ...(which === 'all' ? step.follows : []), ...atoms];
      return [step.action, before.flatMap((at) => steps[at] ?? []).flatMap(beforehand(step))];
    }),
  );
}

const beforehand =
  ({ action }: Step) =>
  (before: Step): readonly Action[] =>
    action.kind === 'instance' && before.action.kind === 'instance' ? [] : [before.action];

/** Where something stands in the order of waves. */
export interface Place {
  readonly kind: Kind;
  readonly address: Address;
  /** `made`: it is not there yet. */
  readonly as: 'made' | 'changed' | 'removed';
}

export const placeOf = ({ kind, address, verb }: Action): Place => ({ kind, address, as: becoming[verb] });

const becoming = {
  create: 'made',
  adopt: 'made',
  update: 'changed',
  replace: 'changed',
  delete: 'removed',
  forget: 'removed',
} as const satisfies Readonly<Record<Action['verb'], Place['as']>>;

/**
 * Parents before children, what is new before what changes, what goes last and children first; of machines by their ordinals, those
 * that go from the highest down; all else by address.
 */
export function byPlace(a: Place, b: Place): number {
  return rank(a) - rank(b) || compareText(stemOf(a), stemOf(b)) || ordinal(a) - ordinal(b);
}

const classes: Readonly<Record<Place['as'], number>> = { made: 0, changed: 1, removed: 0 };

function rank({ kind, as }: Place): number {
  const tier = 2 * kindNames.indexOf(kind) + classes[as];
  return as === 'removed' ? 100 - tier : tier;
}

const stemOf = ({ kind, address }: Place): string => (kind === 'instance' ? documentOfReplica(address) : address);

function ordinal({ kind, address, as }: Place): number {
  if (kind !== 'instance') return 0;
  const at = Number(/-(\d+)$/.exec(address)?.[1] ?? 0);
  return as === 'removed' ? -at : at;
}

/**
 * Everything in the order of places, but each after what it must wait for: so a wave that is cut off anywhere never holds
 * anything whose ground, or whose successor, is of a later one.
 */
export function inWaveOrder<T extends { readonly place: Place; readonly action?: Action }>(
  all: readonly T[],
  before: Prerequisites,
): readonly T[] {
  const byAction = new Map(all.flatMap((one) => (one.action === undefined ? [] : [[one.action, one] as const])));
  const ordered = new Set<T>();
  const entered = new Set<T>();
  const visit = (one: T): void => {
    if (entered.has(one)) return;
    entered.add(one);
    const first = one.action === undefined ? [] : (before.get(one.action) ?? []);
    for (const other of first.flatMap((action) => byAction.get(action) ?? []).toSorted(byPlaceOf)) visit(other);
    ordered.add(one);
  };
  for (const one of all.toSorted(byPlaceOf)) visit(one);
  return [...ordered];
}

const byPlaceOf = (a: { readonly place: Place }, b: { readonly place: Place }): number => byPlace(a.place, b.place);
