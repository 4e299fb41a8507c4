import type { Desired } from '../desired.ts';
import type { Address } from '../resource.ts';

/**
 * The documents whose word on keeping binds a resource: its own. A network's own protection is of itself, its subnets and
 * groups, not of atoms that merely say its default.
 */
export const governing = ({ kind, documents }: Desired): readonly Address[] =>
  documents
    .map(({ address }) => address)
    .filter((address) => kind !== 'firewall-rule' || address.includes('/firewall-rule/'));
