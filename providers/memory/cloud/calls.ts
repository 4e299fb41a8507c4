import { groupCalls } from './calls/groups.ts';
import { instanceCalls } from './calls/instances.ts';
import { networkCalls } from './calls/networks.ts';
import { ruleCalls } from './calls/rules.ts';
import { subnetCalls } from './calls/subnets.ts';
import { tagCalls } from './calls/tags.ts';

/** Everything that can be asked of the cloud, by the action's name. Names beginning `List` or `WhoAmI` read. */
export const calls = {
  ...networkCalls,
  ...subnetCalls,
  ...groupCalls,
  ...ruleCalls,
  ...instanceCalls,
  ...tagCalls,
  /** The account that the caller's credentials belong to. */
  WhoAmI: (): void => {},
};

export type ActionName = keyof typeof calls;
export type Input<A extends ActionName> =
  Parameters<(typeof calls)[A]> extends [unknown, infer I, ...unknown[]] ? I : undefined;
export type Output<A extends ActionName> = ReturnType<(typeof calls)[A]>;

export const reads = (action: ActionName): boolean => action.startsWith('List') || action === 'WhoAmI';
