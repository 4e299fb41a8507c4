import type { Desired } from '../../src/core/desired.ts';
import type { Observed } from '../../src/core/observed.ts';
import type {
  Address,
  Attributes,
  CloudId,
  InstanceAttributes,
  Kind,
  Labels,
  NetworkAttributes,
  RuleAttributes,
  SubnetAttributes,
} from '../../src/core/resource.ts';
import { canonicalNetworkSettings, canonicalSubnetSettings } from './network-settings.ts';
import { idIn, placeOf } from './place.ts';
import { peerPrefix } from './security-rule.ts';

/**
 * The same wish in the words that Azure used. Azure compares without case: tag keys (their values with it), service tags,
 * names of images, sizes and kinds of disk, ids.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
 */
export function matchSpelling(desired: Desired, observed: Observed): Desired {
  // why: both are of this kind; TypeScript cannot tie the rows of the table to it
  const spell = spellers[desired.kind] as Speller<Kind>;
  const attributes = spell(desired.attributes, observed.attributes, { address: desired.address, id: observed.id });
  return attributes === desired.attributes ? desired : { ...desired, attributes };
}

interface Place {
  readonly address: Address;
  /** Of the observed one. */
  readonly id: CloudId;
}

type Speller<K extends Kind> = (wanted: Attributes[K], seen: Attributes[K], place: Place) => Attributes[K];

const networkIn = (wanted: NetworkAttributes): NetworkAttributes =>
  wanted.settings === undefined ? wanted : { ...wanted, settings: canonicalNetworkSettings(wanted.settings) };

const subnetIn = (wanted: SubnetAttributes, _: SubnetAttributes, { id }: Place): SubnetAttributes =>
  wanted.settings === undefined ? wanted : { ...wanted, settings: canonicalSubnetSettings(wanted.settings, id) };

const spellers: { readonly [K in Kind]: Speller<K> } = {
  network: (wanted, seen) => labelled(networkIn(wanted), seen),
  subnet: subnetIn,
  group: labelled,
  'firewall-rule': ruleIn,
  instance: (wanted, seen, place) => labelled(machineIn(wanted, seen, place), seen),
};

function labelled<A extends { readonly labels: Labels }>(wanted: A, seen: A): A {
  const keys = new Map(Object.keys(seen.labels).map((key) => [key.toLowerCase(), key]));
  const labels = Object.entries(wanted.labels).map(([key, value]) => [keys.get(key.toLowerCase()) ?? key, value]);
  return { ...wanted, labels: Object.fromEntries(labels) };
}

function ruleIn(wanted: RuleAttributes, seen: RuleAttributes): RuleAttributes {
  const named = [...seen.match.peers, ...(seen.match.targets ?? [])].filter((one) => one.startsWith(peerPrefix.tag));
  const tags = new Map(named.map((tag) => [tag.toLowerCase(), tag]));
  if (tags.size === 0) return wanted;
  const spelled = (all: readonly string[]): readonly string[] =>
    all.map((one) => tags.get(one.toLowerCase()) ?? one).sort();
  const { match } = wanted;
  const targets = match.targets === undefined ? {} : { targets: spelled(match.targets) };
  return { ...wanted, match: { ...match, peers: spelled(match.peers), ...targets } };
}

function machineIn(wanted: InstanceAttributes, seen: InstanceAttributes, { address }: Place): InstanceAttributes {
  const { machine, disk } = wanted;
  const identity = sameIdentity(machine.identity, seen.machine.identity, address)
    ? seen.machine.identity
    : machine.identity;
  const spelled = {
    ...machine,
    ...(machine.image === undefined ? {} : { image: likeness(machine.image, seen.machine.image ?? '') }),
    size: likeness(machine.size, seen.machine.size),
    ...(identity === undefined ? {} : { identity }),
  };
  if (disk?.type === undefined || seen.disk?.type === undefined) return { ...wanted, machine: spelled };
  return { ...wanted, machine: spelled, disk: { ...disk, type: likeness(disk.type, seen.disk.type) } };
}

const likeness = (wanted: string, seen: string): string =>
  wanted.toLowerCase() === seen.toLowerCase() ? seen : wanted;

const identityType = 'Microsoft.ManagedIdentity/userAssignedIdentities';

/** A name is that of an identity in the machine's own resource group. A machine may have others besides, joined by commas. */
function sameIdentity(wanted: string | undefined, seen: string | undefined, address: string): boolean {
  if (wanted === undefined || seen === undefined) return false;
  const whole = (text: string): string =>
    (text.includes('/') ? text : idIn(placeOf(address, 'instance'), identityType, text)).toLowerCase();
  return seen.split(',').some((one) => whole(one) === whole(wanted));
}
