import type { Actor } from './touch.ts';

/** What our own requests to the clouds bear as their program. */
export const ownAgent = 'setpoint';

/**
 * Whether a change calls itself one of ours. Anybody can write that: so such an event still has its scope looked at, and only
 * names nobody. Our own calls are known for certain by the ids that the ledger has.
 */
export const claimsToBeOurs = ({ agent }: Actor): boolean => agent !== undefined && ownName.test(agent);

const ownName = /(^|[\s(;])setpoint($|[\s/);])/;
