import type { Address, CloudId, Kind, Ref } from './resource.ts';

/** `aws/1111/eu-west-1/subnet/core.app` → `core.app`. Names hold no `/` before the last kind, so the kind finds the cut. */
export function nameIn(address: Address, kind: Kind): string {
  const cut = address.indexOf(`/${kind}/`);
  return cut < 0 ? address : address.slice(cut + kind.length + 2);
}

/** `aws/1111/eu-west-1/group/core.web` → `aws/1111/eu-west-1`. */
export function prefixIn(address: Address, kind: Kind): string {
  const cut = address.indexOf(`/${kind}/`);
  return cut < 0 ? address : address.slice(0, cut);
}

/** The document of a replica: `…/instance/web-3` → `…/instance/web`. */
export const documentOfReplica = (address: Address): Address => address.replace(/-\d+$/, '');

/** Whether it is one of our addresses, and no id of a cloud's: Azure's and Google's hold slashes too. */
export const isAddress = (ref: Ref | Address | CloudId): boolean =>
  /^(?:aws|gcp|azure|memory)\/.*\/(?:network|subnet|group|firewall-rule|instance)\/[^/]+$/.test(ref);

/** The place that a name takes where the cloud keeps names unique: `gcp/acme/global/network/core`. Azure tells no case apart. */
export const slotOf = (prefix: string, kind: Kind, name: string): string => `${prefix}/${kind}/${name}`.toLowerCase();
