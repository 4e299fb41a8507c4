import { type Action, beginsGrace } from '../action.ts';
import { type Knowledge, powerOf } from '../knowledge.ts';
import type { Observation } from '../observed.ts';
import { claim } from '../plan/claim.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import type { Address, CloudId, InstanceAttributes } from '../resource.ts';
import { recreatedMachines } from '../unfinished-replacements.ts';
import {
  attributesAfter,
  type Cost,
  inCents,
  machineCost,
  noCost,
  type PriceTable,
  placeOfAddress,
  sumOf,
} from './cost.ts';

/** The amount that an action adds to the monthly cost, above 0. `unpriced`: its parts without a known price. */
export interface CostIncrease {
  readonly monthly: number;
  readonly unpriced: readonly string[];
}

/** The monthly cost of a scope, as limits count it. A machine that no listing shows at the moment counts, too. */
export interface ScopeCost {
  readonly standing: Cost;
  /** Undefined: the action raises nothing. */
  increaseOf(action: Action): CostIncrease | undefined;
  /** The monthly amount that an action saves; 0: none. */
  savingOf(action: Action): number;
}

/** A listing may show an object as it was before a write that is younger than this. */
const lateMs = 300_000;

/** Counts by these prices. An observation is planned several times, and its owners are found once. */
export function costsBy(table: PriceTable): (input: PlanInput) => ScopeCost {
  const last = new WeakMap<Observation, Pick<PlanInput, 'knowledge' | 'wanted'> & { readonly cost: ScopeCost }>();
  return (input) => {
    const { observation, knowledge, wanted } = input;
    const known = last.get(observation);
    if (known?.knowledge === knowledge && known.wanted === wanted) return known.cost;
    const cost = scopeCost(input, table);
    last.set(observation, { knowledge, wanted, cost });
    return cost;
  };
}

/**
 * The standing cost of a scope, and the change by each action.
 *
 *   machine                                   | counts as
 *   ------------------------------------------+--------------------------------------------------------------
 *   ours, seen                                | it was seen; written lately or now: the higher cost of both
 *   ours, not seen, and not proven gone       | it was launched, or else applied last
 *   launch without an answer                  | it was asked for
 *   deleted by us to be launched again        | wanted now: both halves of a replacement share a place
 *   predecessor whose successor is launched   | nothing: its successor counts
 *
 *   action                                    | raises or saves
 *   ------------------------------------------+--------------------------------------------------------------
 *   create                                    | the machine; nothing where it is the second half of a replacement
 *   update of size, power, disk or address    | the difference
 *   replace                                   | the difference; nothing once its successor stands
 *   delete                                    | the machine; nothing where only its grace begins
 *   adopt, forget, other updates              | nothing
 *
 * Data disks are no part of it: nobody knows their size.
 */
function scopeCost(input: PlanInput, table: PriceTable): ScopeCost {
  const records = recordsOf(input, table);
  const sidesOf = (action: Action): Sides | undefined =>
    action.kind === 'instance' ? sidesIn(action, records) : undefined;
  return {
    standing: standingCost(records),
    increaseOf: (action) => {
      const sides = sidesOf(action);
      return sides && increaseIn(sides);
    },
    savingOf: (action) => {
      const { before, after } = sidesOf(action) ?? { before: noCost, after: noCost };
      return Math.max(0, before.monthly - after.monthly);
    },
  };
}

/** The machines of a scope as the store and the specs know them, and their prices. */
interface Records {
  readonly knowledge: Knowledge;
  /** Our machines that the observation shows. */
  readonly seen: readonly { readonly observed: Seen; readonly address: Address }[];
  readonly unseen: readonly Unseen[];
  readonly launching: readonly Sent[];
  /** The attributes of each machine, as its launch was intended. */
  readonly launchedAs: ReadonlyMap<CloudId, InstanceAttributes>;
  readonly recreated: ReadonlySet<Address>;
  /** Predecessors of machines that count. */
  readonly replaced: ReadonlySet<CloudId>;
  readonly desiredAt: (address: Address) => readonly InstanceAttributes[];
  readonly price: (attributes: InstanceAttributes, address: Address) => Cost;
  readonly seenCost: (observed: Seen, address: Address) => Cost;
}

function recordsOf(input: PlanInput, table: PriceTable): Records {
  const { knowledge, wanted, observation } = input;
  const machines = observation.resources.filter(({ kind }) => kind === 'instance');
  const seen = claim(machines, input).flatMap(({ observed, claim: owner }) =>
    owner.by === 'us' ? [{ observed, address: owner.address }] : [],
  );
  const unseen = unseenMachines(knowledge, observation);
  const desired = new Map(wanted.desired.flatMap((one) => (one.kind === 'instance' ? [[one.address, one]] : [])));
  const updating = new Map(sent(knowledge, 'update').map((one) => [one.address, [one.attributes]] as const));
  const price: Records['price'] = (attributes, address) => priceOf(attributes, address, table);
  return {
    knowledge,
    seen,
    unseen,
    price,
    launching: sent(knowledge, 'create'),
    launchedAs: new Map((knowledge.births ?? []).map(({ id, attributes }) => [id, attributes])),
    recreated: new Set(recreatedMachines(knowledge).values()),
    replaced: predecessors(
      knowledge,
      new Set([...seen.map(({ observed }) => observed.id), ...unseen.map(({ id }) => id)]),
    ),
    desiredAt: (address) => {
      const found = desired.get(address);
      return found === undefined ? [] : [found.attributes as InstanceAttributes]; // why: only machines are in the map
    },
    seenCost: (observed, address) =>
      highest(
        [
          observed.attributes as InstanceAttributes, // why: only called for machines
          ...(wasJustWritten(observed.id, knowledge) ? appliedAt(address, knowledge) : []),
          ...(updating.get(address) ?? []),
        ].map((one) => price(one, address)),
      ),
  };
}

function standingCost({ seen, unseen, ...records }: Records): Cost {
  const { knowledge, launching, launchedAs, recreated, replaced, desiredAt, price, seenCost } = records;
  const launchingAt = new Set(launching.map(({ address }) => address));
  const again = [...recreated].filter((address) => !launchingAt.has(address));
  return sumOf([
    ...seen.filter(({ observed }) => !replaced.has(observed.id)).map((one) => seenCost(one.observed, one.address)),
    ...unseen
      .filter(({ id }) => !replaced.has(id))
      .map(({ id, address }): Cost => {
        const [applied] = [...appliedAt(address, knowledge), ...desiredAt(address)];
        const known = launchedAs.get(id) ?? applied;
        if (known === undefined) return { monthly: 0, unpriced: [`${address}, which was not observed`] };
        return price(known, address);
      }),
    ...launching.map(({ address, attributes }) => price(attributes, address)),
    ...again.flatMap((address) => desiredAt(address).map((one) => price(one, address))),
  ]);
}

interface Sides {
  readonly before: Cost;
  readonly after: Cost;
}

/** Undefined: it changes no cost. */
function sidesIn(action: Action, { recreated, replaced, price, seenCost }: Records): Sides | undefined {
  const { address } = action;
  switch (action.verb) {
    case 'create':
      return recreated.has(address) ? undefined : { before: noCost, after: price(desiredOf(action), address) };
    case 'replace':
      if (action.surge?.successor !== undefined) return undefined;
      return { before: seenCost(action.observed, address), after: price(desiredOf(action), address) };
    case 'update': {
      const after = action.changes.some(({ field }) => pricedField.test(field)) ? attributesAfter(action) : undefined;
      return after && { before: seenCost(action.observed, address), after: price(after, address) };
    }
    case 'delete':
      if (beginsGrace(action) || replaced.has(action.observed.id)) return undefined;
      return { before: seenCost(action.observed, address), after: noCost };
    case 'adopt':
    case 'forget':
      return undefined;
  }
}

type Seen = Extract<Action, { readonly verb: 'update' }>['observed'];

/** The fields that prices depend on. */
const pricedField = /^(?:machine\.size|machine\.power|disk\b|placement\.publicIp|settings\.staticPublicIp)/;

const desiredOf = ({ desired }: Extract<Action, { readonly verb: 'create' | 'replace' }>): InstanceAttributes =>
  desired.attributes as InstanceAttributes; // why: only called for machines

function priceOf(attributes: InstanceAttributes, address: Address, table: PriceTable): Cost {
  const place = placeOfAddress(address);
  const { dataDisks: _, ...settings } = attributes.settings ?? {};
  return place === undefined ? noCost : machineCost({ ...attributes, settings }, place, table);
}

function increaseIn({ before, after }: Sides): CostIncrease | undefined {
  const known = [...before.unpriced];
  const unpriced = after.unpriced.filter((what) => {
    const at = known.indexOf(what);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
  const monthly = Math.max(0, after.monthly - before.monthly);
  return inCents(monthly) === 0 && unpriced.length === 0 ? undefined : { monthly, unpriced };
}

/** The most expensive of several states of a machine, with the unknown prices of all of them. */
const highest = (costs: readonly Cost[]): Cost => ({
  monthly: Math.max(...costs.map(({ monthly }) => monthly)),
  unpriced: [...new Set(costs.flatMap(({ unpriced }) => unpriced))],
});

function wasJustWritten(id: CloudId, { settled, readAt }: Knowledge): boolean {
  const written = settled.get(id)?.lastWriteAt;
  return readAt !== undefined && written !== undefined && readAt - written < lateMs;
}

function appliedAt(address: Address, { applied }: Knowledge): readonly InstanceAttributes[] {
  const attributes = applied.get(address)?.attributes;
  return powerOf(attributes) === undefined ? [] : [attributes as InstanceAttributes]; // why: only machines have power
}

interface Unseen {
  readonly id: CloudId;
  readonly address: Address;
}

/** Settled machines that the observation does not show, and that it does not prove gone. */
function unseenMachines({ settled }: Knowledge, { resources, pending, gaps }: Observation): readonly Unseen[] {
  const shown = new Set(resources.map(({ id }) => id));
  const waiting = new Set(pending);
  const isGap = gaps.some(({ kind }) => kind === 'instance');
  return [...settled].flatMap(([id, { kind, address }]) =>
    kind === 'instance' && !shown.has(id) && (isGap || waiting.has(id)) ? [{ id, address }] : [],
  );
}

interface Sent {
  readonly address: Address;
  readonly attributes: InstanceAttributes;
}

/** The engine itself wrote the details of every intent. */
const sent = ({ pending, again = [] }: Knowledge, verb: 'create' | 'update'): readonly Sent[] =>
  [...pending, ...again].flatMap(({ address, verb: own, draft }) => {
    const { attributes } = draft.details as { readonly attributes?: InstanceAttributes }; // why: see above
    return own === verb && draft.kind === 'instance' && attributes !== undefined ? [{ address, attributes }] : [];
  });

/** Machines with a successor that stands or was requested. A dead successor replaces nothing. */
function predecessors({ settled, pending }: Knowledge, counted: ReadonlySet<CloudId>): ReadonlySet<CloudId> {
  const known = [...settled].flatMap(([id, { terms }]) => (counted.has(id) ? (terms.successorOf ?? []) : []));
  const begun = pending.flatMap(({ verb, draft }) => {
    const { successorOf } = draft.details;
    return verb === 'create' && typeof successorOf === 'string' ? [successorOf] : [];
  });
  return new Set([...known, ...begun]);
}
