import { type Address, nameIn, prefixIn } from '../resource.ts';
import type { Atom, Dialect } from './dialect.ts';

/**
 * The address of an atom in its container (a group, or a network): the container's place, and then what tells it from its
 * neighbours. By content: `web.ingress.tcp.443.10.0.0.0/8`. By name: `core.web-https-1a2b3c4d`.
 */
export function atomAddress({ rules }: Dialect, container: Address, { name, attributes }: Atom): Address {
  const kind = container.includes('/group/') ? 'group' : 'network';
  const end = rules.contentName?.(attributes, (ref) => nameIn(ref, 'group')) ?? `${networkNameIn(container)}.${name}`;
  return `${prefixIn(container, kind)}/firewall-rule/${end}`;
}

const networkNameIn = (container: Address): string => nameIn(container, 'network');
