import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';
import {
  type Address,
  type Attributes,
  type CloudId,
  type Kind,
  nameIn,
  prefixIn,
  type Ref,
  slotOf,
} from '../resource.ts';
import { compareText } from '../text.ts';
import { neverAdopted, type Obstacle } from './findings.ts';
import { plan } from './plan.ts';
import type { PlanInput } from './plan-input.ts';

/** An object of a cloud, and the wanted resource that it may become. */
export interface Adoption {
  readonly desired: Desired;
  readonly id: CloudId;
}

/** The obstacles to these adoptions if all of them were in the specs: by address. */
export function obstaclesTo(adoptions: readonly Adoption[], input: PlanInput): ReadonlyMap<Address, Obstacle> {
  const chosen = new Map(adoptions.map(({ desired, id }) => [desired.address, id]));
  const desired = input.wanted.desired.map((one) => {
    const adopt = chosen.get(one.address);
    return adopt === undefined ? one : { ...one, terms: { ...one.terms, claim: { ...one.terms.claim, adopt } } };
  });
  const { findings } = plan({ ...input, wanted: { ...input.wanted, desired } });
  const apart = new Map(adoptions.flatMap((one) => inAnotherNetwork(one, desired, input) ?? []));
  const blocked = findings.flatMap((finding): readonly (readonly [Address, Obstacle])[] => {
    if (finding.type !== 'blocked' || !chosen.has(finding.address)) return [];
    const next =
      finding.code === 'immutable'
        ? 'Write the existing values into the document, or give the new resource another name.'
        : 'Remove the cause, and run it again.';
    return [[finding.address, apart.get(finding.address) ?? { why: finding.why, next }]];
  });
  const never = adoptions.flatMap((one): readonly (readonly [Address, Obstacle])[] => {
    const obstacle = neverAdopted(one.desired, input.wanted);
    return obstacle === undefined ? [] : [[one.desired.address, obstacle]];
  });
  return new Map([...blocked, ...never]);
}

/** A subnet or group stays in the network that it lies in. */
function inAnotherNetwork(
  { desired: one, id }: Adoption,
  desired: readonly Desired[],
  { observation: { resources }, knowledge }: PlanInput,
): readonly (readonly [Address, Obstacle])[] | undefined {
  if (one.kind !== 'subnet' && one.kind !== 'group') return undefined;
  // why: both kinds lie in a network
  const { network } = one.attributes as Attributes['subnet' | 'group'];
  const there = resources.find((each) => each.id === id);
  const lies: unknown = there && Reflect.get(there.attributes, 'network');
  const own = [...knowledge.settled].find(([, { address }]) => address === network)?.[0];
  const adopted = desired.find(({ address }) => address === network)?.terms.claim?.adopt;
  if (typeof lies !== 'string' || lies === '' || lies === own || lies === adopted) return undefined;
  const next =
    own === undefined
      ? `If ${lies} is that network, adopt it as well: setpoint adopt network/${nameIn(network, 'network')} ${lies}`
      : `Leave it, or write a document for the network ${lies}.`;
  return [[one.address, { why: `It lies in ${lies}, and ${network} is ${own ?? adopted ?? 'not there yet'}.`, next }]];
}

/**
 * For each resource that is wanted and does not stand, the object that stands in its place. Subnets and groups are looked for in
 * their own network only: the one that is ours, or the one that is to be adopted.
 *
 *   kind              | stands in its place
 *   ------------------+---------------------------------------
 *   network, instance | an object of that name
 *   subnet            | a subnet of that block
 *   group             | a group of that name, whatever the case
 */
export function inPlace(
  wanted: readonly Desired[],
  standing: readonly Observed[],
  ours: ReadonlyMap<Address, CloudId>,
) {
  const found = new Map<Address, Adoption>();
  const objects = standing.toSorted((a, b) => compareText(a.id, b.id));
  const idOf = (ref: Ref): CloudId | undefined =>
    ours.get(ref) ?? found.get(ref)?.id ?? wanted.find(({ address }) => address === ref)?.terms.claim?.adopt;
  const missing = wanted.filter(
    ({ address, kind, terms }) => kind !== 'firewall-rule' && !ours.has(address) && terms.claim?.adopt === undefined,
  );
  const networksFirst = [
    ...missing.filter(({ kind }) => kind === 'network'),
    ...missing.filter(({ kind }) => kind !== 'network'),
  ];
  for (const desired of networksFirst) {
    const same = objects.find((one) => one.kind === desired.kind && isInPlace(desired, one, idOf));
    if (same !== undefined) found.set(desired.address, { desired, id: same.id });
  }
  return missing.flatMap(({ address }) => found.get(address) ?? []);
}

function isInPlace(wanted: Desired, there: Observed, idOf: (ref: Ref) => CloudId | undefined): boolean {
  if ('cidr' in wanted.attributes && 'network' in wanted.attributes)
    return (
      isIn(wanted.attributes.network, there, idOf) && Reflect.get(there.attributes, 'cidr') === wanted.attributes.cidr
    );
  const slot = slotOf(prefixIn(wanted.address, wanted.kind), wanted.kind, wanted.name);
  const isNamed =
    there.signs.slot === undefined
      ? there.name !== '' && sameName(wanted.kind, there.name, wanted.name)
      : there.signs.slot === slot;
  if (wanted.kind !== 'group') return isNamed;
  // why: `kind` was just checked
  const { network } = (wanted as Desired<'group'>).attributes;
  return isNamed && isIn(network, there, idOf);
}

const sameName = (kind: Kind, a: string, b: string): boolean =>
  kind === 'group' ? a.toLowerCase() === b.toLowerCase() : a === b;

/** '' is a group of no network. What is ours bears an address in what was observed, and all else its id. */
function isIn(network: Ref, { attributes }: Observed, idOf: (ref: Ref) => CloudId | undefined): boolean {
  const ref: unknown = Reflect.get(attributes, 'network');
  return ref === '' || ref === network || (ref !== undefined && ref === idOf(network));
}
