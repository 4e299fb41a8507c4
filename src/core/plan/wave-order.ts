import type { Action } from '../action.ts';
import { documentOfReplica } from '../address.ts';
import { kindNames } from '../kinds/kinds.ts';
import { type Gate, order } from '../order.ts';
import type { Address, Kind } from '../resource.ts';
import { compareText } from '../text-order.ts';
import type { Surroundings } from '../traffic/neighbours.ts';

/**
 * What must stand or be gone before each action can be carried out. A gate of order.ts stands for what many wait for: it is a
 * key like an action, and no action.
 */
export type Prerequisites = ReadonlyMap<Action | Gate, readonly (Action | Gate)[]>;

/**
 * As in order.ts. Left out is what only keeps machines of one document from being touched at once: it says nothing about which
 * comes first.
 */
export function prerequisitesOf(
  actions: readonly Action[],
  which: 'needed' | 'all',
  around: Surroundings,
): Prerequisites {
  const { steps, gates } = order(actions, around);
  const nodes = [...steps.map(({ action }) => action), ...gates];
  return new Map(
    [...steps, ...gates].flatMap(({ needs, follows }, at) => {
      const node = nodes[at];
      const before = [...needs, ...(which === 'all' ? follows : [])].flatMap((one) => nodes[one] ?? []);
      return node === undefined ? [] : [[node, before.filter((one) => !areMachines(node, one))] as const];
    }),
  );
}

const isGate = (node: Action | Gate): node is Gate => !('verb' in node);

const areMachines = (...nodes: readonly (Action | Gate)[]): boolean =>
  nodes.every((node) => 'verb' in node && node.kind === 'instance');

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
  const byAction = new Map<Action | Gate, T>(
    all.flatMap((one) => (one.action === undefined ? [] : [[one.action, one] as const])),
  );
  const ordered = new Set<T>();
  const entered = new Set<T | Gate>();
  const firstOf = (node: T | Gate): readonly (T | Gate)[] => {
    const first = 'place' in node ? node.action && before.get(node.action) : before.get(node);
    const known = (first ?? []).flatMap((one) => byAction.get(one) ?? []);
    return [...known.toSorted(byPlaceOf), ...(first ?? []).filter(isGate)];
  };
  const enter = (node: T | Gate) => {
    entered.add(node);
    return { node, rest: firstOf(node).values() };
  };
  // why: a path through gates may be longer than the stack of calls
  const visit = (one: T): void => {
    const path = entered.has(one) ? [] : [enter(one)];
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { value, done } = last.rest.next();
      if (!done) {
        if (!entered.has(value)) path.push(enter(value));
        continue;
      }
      path.pop();
      if ('place' in last.node) ordered.add(last.node);
    }
  };
  for (const one of all.toSorted(byPlaceOf)) visit(one);
  return [...ordered];
}

const byPlaceOf = (a: { readonly place: Place }, b: { readonly place: Place }): number => byPlace(a.place, b.place);
