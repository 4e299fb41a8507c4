import type { Action, Finding, ScopePlan } from '../action.ts';
import type { Desired } from '../desired.ts';
import { diff, type FieldChange } from '../diff.ts';
import { compareScope, unguarded } from '../plan/compared.ts';
import { plan } from '../plan/plan.ts';
import type { PlanInput, Wanted } from '../plan/plan-input.ts';
import type { Address } from '../resource.ts';
import { compareText } from '../text.ts';

/** The reason for which edited documents would not simply keep the drift. `field`: as our attributes call it. */
export interface Objection {
  readonly address: Address;
  readonly field?: string;
  readonly reason: string;
}

/** `accepted`: the fields that the edited documents state, by address; none where a whole rule goes. */
export interface ProofInput {
  readonly before: PlanInput;
  readonly after: Wanted;
  readonly accepted: ReadonlyMap<Address, readonly string[]>;
}

/**
 * Compares the plans of the documents before and after the edits, on one observation. The documents may keep what the cloud has, and
 * do nothing else:
 *
 *   after the edits                                    | objection
 *   ---------------------------------------------------+------------------------------------------
 *   an accepted field still differs                    | yes
 *   another difference, action or block than before    | yes: the edited place states it too; so a drift that a
 *                                                      | guard holds never becomes a rollout
 *   a resource is stated otherwise, and its kind was   | yes: nobody knows what the cloud has
 *   not listed completely, or it was not seen          |
 *   a resource that stands is no longer stated         | yes
 *   all else                                           | no
 */
export function objectionsTo({ before, after, accepted }: ProofInput): readonly Objection[] {
  const input = { ...before, wanted: after };
  const [was, is] = [compareScope(before), compareScope(input)];
  const gaps = new Set(before.observation.gaps.map(({ kind }) => kind));
  const plans = { was: plan(unguarded(before)), is: plan(unguarded(input)) };
  const missing = new Set(plans.was.actions.flatMap(({ verb, address }) => (verb === 'create' ? [address] : [])));
  const stated = (one: Desired): readonly Objection[] => {
    if (gaps.has(one.kind)) return [{ address: one.address, reason: `${one.kind} was not listed completely` }];
    if (!is.has(one.address) && !missing.has(one.address))
      return [{ address: one.address, reason: 'the edited line states it too, and it was not seen on the cloud' }];
    return differences(one.address, { was, is }).map(({ field, from }) => ({
      address: one.address,
      field,
      reason: `the edited line states it too, and the cloud has ${text(from)} there`,
    }));
  };
  const moved = movedBetween(before.wanted, after);
  const still = [...accepted].flatMap(([address, fields]) => stillDiffering(address, fields, is));
  const objections: readonly Objection[] = [
    ...still,
    ...moved.changed.flatMap(stated),
    ...moved.added.map(({ address }) => ({ address, reason: 'the edited documents would make it' })),
    ...moved.gone
      .filter(({ address }) => was.has(address))
      .map(({ address }) => ({ address, reason: 'it stands on the cloud, and no document would state it' })),
  ];
  const named = new Set(objections.map(({ address }) => address));
  const planned = newDecisions(plans).filter(({ address }) => !named.has(address));
  const all = [...objections, ...planned].map((one) => [`${one.address} ${one.field ?? ''}`, one] as const);
  return [...new Map(all.toReversed()).values()].toSorted((a, b) => compareText(a.address, b.address));
}

/** The addresses of which edited documents would state something else. */
export function movedAddresses(before: Wanted, after: Wanted): readonly Address[] {
  const { changed, added, gone } = movedBetween(before, after);
  return [...changed, ...added, ...gone].map(({ address }) => address);
}

interface Moved {
  readonly changed: readonly Desired[];
  readonly added: readonly Desired[];
  readonly gone: readonly Desired[];
}

function movedBetween(before: Wanted, after: Wanted): Moved {
  const [old, young] = [before, after].map(({ desired }) => new Map(desired.map((one) => [one.address, one])));
  const isMoved = (one: Desired): boolean => {
    const other = old?.get(one.address);
    return other !== undefined && !isAlike(one, other);
  };
  return {
    changed: after.desired.filter(isMoved),
    added: after.desired.filter(({ address }) => old?.has(address) !== true),
    gone: before.desired.filter(({ address }) => young?.has(address) !== true),
  };
}

const isAlike = ({ attributes: a }: Desired, { attributes: b }: Desired): boolean =>
  diff(a, b).length === 0 && diff(b, a).length === 0;

type Both = Readonly<Record<'was' | 'is', ReturnType<typeof compareScope>>>;

/** The fields that differ only since the edit, or from another value. A resource that does not stand has none. */
function differences(address: Address, { was, is }: Both) {
  const nameOf = ({ field, to }: FieldChange): string => JSON.stringify([field, to]);
  const before = new Set(was.get(address)?.changes.map(nameOf));
  return is.get(address)?.changes.filter((change) => !before.has(nameOf(change))) ?? [];
}

function stillDiffering(address: Address, fields: readonly string[], is: Both['is']): readonly Objection[] {
  const changes = is.get(address)?.changes.filter(({ field }) => fields.includes(field)) ?? [];
  return changes.map(({ field, to }) => ({
    address,
    field,
    reason: to === undefined ? 'Setpoint would still remove it' : `another line still states ${text(to)}`,
  }));
}

/** Actions and refusals of a plan that the edit alone causes. */
function newDecisions({ was, is }: Readonly<Record<'was' | 'is', ScopePlan>>): readonly Objection[] {
  const planned = new Set(was.actions.flatMap(stepsOf));
  const blocked = new Set(was.findings.flatMap(blockOf).map(({ key }) => key));
  return [
    ...is.actions
      .filter((action) => stepsOf(action).some((step) => !planned.has(step)))
      .map(({ address, verb }) => ({ address, reason: `a plan would ${verb} it` })),
    ...is.findings.flatMap(blockOf).filter(({ key }) => !blocked.has(key)),
  ];
}

/** One step for each changed field, so that an update of fewer fields is no other one. */
function stepsOf(action: Action): readonly string[] {
  const changes = 'changes' in action ? action.changes : [];
  const fields = changes.length === 0 ? [''] : changes.map(({ field }) => field);
  return fields.map((field) => `${action.verb} ${action.address} ${field}`);
}

const blockOf = (found: Finding): readonly (Objection & { readonly key: string })[] =>
  found.type === 'blocked'
    ? [{ key: `${found.address} ${found.code}`, address: found.address, reason: found.why }]
    : [];

const text = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
