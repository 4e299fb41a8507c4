import type { Mark } from '../../../src/core/observed.ts';
import { readExtra } from '../marks.ts';
import { isPartOf } from '../part.ts';
import { type ArmPlace, idIn } from '../place.ts';
import { ownPrefix, type Tags } from '../tags.ts';

/** A machine's parts, in the order of their deletion: an interface holds its address. */
export const partNames = ['network-interface', 'public-address', 'disk'] as const;
export type PartName = (typeof partNames)[number];

const typesAndEndings = {
  'network-interface': ['Microsoft.Network/networkInterfaces', '-nic'],
  'public-address': ['Microsoft.Network/publicIPAddresses', '-ip'],
  disk: ['Microsoft.Compute/disks', '-disk'],
} as const satisfies Readonly<Record<PartName, readonly [type: string, ending: string]>>;

/** The id of such a part of this machine: beside it, named after it. */
export function partIdOf(
  part: PartName,
  place: Pick<ArmPlace, 'subscription' | 'resourceGroup'>,
  machine: string,
): string {
  const [type, ending] = typesAndEndings[part];
  return idIn(place, type, machine + ending);
}

/** `web-0-nic` → `web-0`; undefined where it is not named as such a part. */
export function machineNamedBy(part: PartName, name: string): string | undefined {
  const [, ending] = typesAndEndings[part];
  return name.toLowerCase().endsWith(ending) && name.length > ending.length ? name.slice(0, -ending.length) : undefined;
}

/**
 * True if its tags say that it is such a part of the machine with the mark `owner`. A disk is made by its machine's creation, with the machine's
 * own tags: https://github.com/hashicorp/terraform-provider-azurerm/issues/8162
 */
export const isPartOfMachine = (owner: Mark | undefined, tags: Tags | undefined, part: PartName): boolean =>
  isPartOf(owner, named(tags, part), part);

/** The tags with the part that they leave unsaid. */
export const named = (tags: Tags | undefined, part: PartName): Tags | undefined =>
  part === 'disk' && readExtra(tags, 'part') === undefined ? { ...tags, [`${ownPrefix}part`]: part } : tags;
