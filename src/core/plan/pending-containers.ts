import type { Knowledge } from '../knowledge.ts';
import type { Observation, Observed } from '../observed.ts';
import type { Address, CloudId, Ref } from '../resource.ts';

/** A container of ours that an observation missed too soon after its last write, and the network that it is in. */
export interface PendingContainer {
  readonly address: Address;
  readonly network: Ref;
}

/**
 * Containers that are pending while the rules in them were seen. The store knows whose they are, so their rules are judged as
 * ever: a pending write withholds its own object and nothing else.
 */
export function pendingContainers(
  { settled, applied }: Knowledge,
  pending: Observation['pending'],
): ReadonlyMap<CloudId, PendingContainer> {
  return new Map(
    pending.flatMap((id): readonly [CloudId, PendingContainer][] => {
      const { kind, address = '' } = settled.get(id) ?? {};
      if (kind === 'network') return [[id, { address, network: address }]];
      if (kind !== 'group') return [];
      const attributes = applied.get(address)?.attributes;
      return attributes !== undefined && 'network' in attributes
        ? [[id, { address, network: attributes.network }]]
        : [];
    }),
  );
}

/** A rule in such a container: where the listing of its container was to name its network, the store does. */
export const inPending = (rule: Observed, { network }: PendingContainer): Observed =>
  // why: only rules have a container
  ({ ...rule, attributes: { ...(rule as Observed<'firewall-rule'>).attributes, network } }) as Observed;
