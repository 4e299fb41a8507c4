import type { Address, Kind } from './resource.ts';

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
