import { nameIn, prefixIn } from '../address.ts';
import type { RuleAttributes } from '../attributes.ts';
import type { Address } from '../resource.ts';
import type { Dialect } from './dialect.ts';

/** The address of an atom that is known by its content: its container's place, then what tells it from its neighbours. */
export function atomAddress(dialect: Dialect, container: Address, atom: RuleAttributes): Address {
  return `${prefixIn(container, 'group')}/firewall-rule/${dialect.rules.atomName(atom, (ref) => nameIn(ref, 'group'))}`;
}
