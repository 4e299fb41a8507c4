import type { Finding } from '../action.ts';
import type { Desired } from '../desired.ts';
import { ruleText } from '../render/rule-text.ts';
import type { Attributes, CloudId } from '../resource.ts';
import { compareText } from '../text.ts';
import type { Claimed } from './claim.ts';
import { blocked } from './findings.ts';
import { isAdopted } from './marks.ts';
import { gapOf, type World } from './world.ts';

/**
 * Groups that documents adopted, on clouds where a group holds its rules. Each starts as if its network were additive: people own the
 * rules in it. `record`: the store's word on the group, that Setpoint owns all rules in it.
 *
 *   network       | rules that no document states | record | result
 *   --------------+-------------------------------+--------+----------------------------------------------------
 *   authoritative | some                          | no     | they stay and are reported; the group is blocked
 *   authoritative | none                          | no     | the record is made, as a change of the group: `rules`
 *   authoritative | some                          | yes    | deleted, as in a group that Setpoint made
 *   authoritative | their listing failed          | no     | nothing
 *   additive      | any                           | no     | they stay and are reported
 *   additive      | any                           | yes    | the record ends, as a change of the group: `rules`
 */
export function withRecords(desired: readonly Desired[], world: World): readonly Desired[] {
  const { knowledge, wanted } = world.input;
  if (!hasGroups(world) || knowledge.store === undefined) return desired;
  const foreign = undeclaredRules(desired, world);
  const isListed = gapOf(world, 'firewall-rule') === undefined;
  return desired.map((one) => {
    const id = adoptedId(one, world);
    if (id === undefined || wanted.additive.has(networkOf(one))) return one;
    const isRecorded = knowledge.settled.get(id)?.terms.authoritative === true;
    const isClean = isListed && !foreign.has(id);
    return isRecorded || isClean ? { ...one, terms: { ...one.terms, authoritative: true } } : one;
  });
}

/** Rules that no document states or stated, by the adopted group that holds them and that has no record. */
export function undeclaredRules(desired: readonly Desired[], world: World): ReadonlyMap<CloudId, readonly Claimed[]> {
  const { knowledge, wanted } = world.input;
  if (!hasGroups(world)) return new Map();
  const adopted = new Map(
    desired.flatMap((one) => {
      const id = adoptedId(one, world);
      const isHeld = id !== undefined && knowledge.settled.get(id)?.terms.authoritative !== true;
      return isHeld && !wanted.additive.has(networkOf(one)) ? [[id, one] as const] : [];
    }),
  );
  if (adopted.size === 0) return new Map();
  const addresses = new Set(desired.map(({ address }) => address));
  const stated = new Set([...world.adoptedRules].flatMap(([address, { id }]) => (addresses.has(address) ? [id] : [])));
  const isUndeclared = ({ observed: { id }, claim }: Claimed): boolean => {
    if (claim.by !== 'us') return !stated.has(id);
    return !addresses.has(claim.address) && !knowledge.applied.has(claim.address) && !knowledge.settled.has(id);
  };
  return Map.groupBy(
    world.claimed.filter((one) => adopted.has(one.observed.signs.container ?? '') && isUndeclared(one)),
    ({ observed }) => observed.signs.container ?? '',
  );
}

const hasGroups = ({ input: { dialect } }: World): boolean => dialect.rules.contentName !== undefined;

/** The group of ours that a document adopted, or the one that it will adopt. */
function adoptedId(desired: Desired, { ours, adopted, input: { knowledge } }: World): CloudId | undefined {
  if (desired.kind !== 'group') return undefined;
  const [present, twin] = ours.get(desired.address) ?? [];
  if (twin !== undefined) return undefined;
  if (present !== undefined) return isAdopted(desired, present.observed, knowledge) ? present.observed.id : undefined;
  const id = desired.terms.claim?.adopt;
  return id !== undefined && adopted.has(id) ? id : undefined;
}

// why: only groups are asked about
const networkOf = ({ attributes }: Desired): string => (attributes as Attributes['group']).network;

/** Most rules that one finding names. */
const mostNamed = 5;

/** One finding for each group of ours that has such rules. */
export function undeclaredFindings(
  desired: readonly Desired[],
  rules: ReadonlyMap<CloudId, readonly Claimed[]>,
  world: World,
): readonly Finding[] {
  return desired.flatMap((one) => {
    const [present] = world.ours.get(one.address) ?? [];
    const found = rules.get(present?.observed.id ?? '') ?? [];
    if (one.kind !== 'group' || found.length === 0) return [];
    return [blocked(one, 'undeclared-rules', sentence(one, found), world)];
  });
}

function sentence(group: Desired, rules: readonly Claimed[]): string {
  const texts = rules.map(({ observed }) => ruleText(observed.attributes)).toSorted(compareText);
  const more = texts.length > mostNamed ? ` and ${texts.length - mostNamed} more` : '';
  const named = `${texts.slice(0, mostNamed).join('; ')}${more}`;
  const network = networkOf(group).replace(/^.*\//, '');
  return `it was adopted, and no document states ${texts.length === 1 ? 'a rule' : `${texts.length} rules`} in it: ${named}. Setpoint deletes none of them under "rules: authoritative". Write documents for them with: setpoint import --network ${network}, or delete them by hand, or write "rules: additive".`;
}

export const undeclaredRule = ({ observed }: Claimed, { input }: World): Finding => ({
  type: 'unmanaged',
  id: observed.id,
  kind: observed.kind,
  name: observed.name,
  why: 'a rule that no document states; its group was adopted with it, so it stays',
  scope: input.observation.scope,
});
