import type { Ownership } from '../inventory/ownership.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Observed } from '../observed.ts';
import type { Attributes, CloudId, Kind } from '../resource.ts';

/** The objects that a person wants documents for. Each list narrows the choice; empty lists do not. */
export interface Selection {
  /** Names or ids. */
  readonly networks: readonly string[];
  readonly kinds: readonly Kind[];
  readonly ids: readonly CloudId[];
  readonly labels: readonly Label[];
  /** Only these; absent: any. */
  readonly among?: ReadonlySet<CloudId>;
}

/** `value` absent: any. */
export interface Label {
  readonly key: string;
  readonly value?: string;
}

/** The objects of one scope, by their ids. */
export type Objects = ReadonlyMap<CloudId, Ownership>;

/** The network that an object lies in; undefined where the cloud does not say. */
export function networkOf({ kind, id, attributes }: Observed, objects: Objects): CloudId | undefined {
  switch (kind) {
    case 'network':
      return id;
    case 'subnet':
    case 'group':
    case 'firewall-rule': {
      // why: each of these kinds has its network
      const { network } = attributes as Attributes['subnet' | 'group' | 'firewall-rule'];
      return network === '' ? undefined : network;
    }
    case 'instance': {
      const subnet = objects.get((attributes as Attributes['instance']).placement.subnet)?.observed; // why: `kind` was just checked
      return subnet === undefined ? undefined : networkOf(subnet, objects);
    }
  }
}

/**
 * The chosen objects of a scope, with all that they need:
 *
 *   object        | brings
 *   --------------+-----------------------------------------------------
 *   network       | nothing
 *   subnet        | its network
 *   group         | its network, and its rules: they are adopted with it
 *   firewall-rule | its network, its group and the groups of its peers
 *   instance      | its subnet and its groups
 */
export function chosenObjects(objects: Objects, selection: Selection): ReadonlySet<CloudId> {
  const chosen = new Set<CloudId>();
  const rules = Map.groupBy(objects.values(), ({ observed }) => observed.signs.container ?? '');
  const queue = [...objects.values()].filter(({ observed }) => isChosen(observed, objects, selection));
  for (const { observed } of queue) {
    if (chosen.has(observed.id)) continue;
    chosen.add(observed.id);
    rulesOf(observed.kind).mapRefs(observed.attributes, (ref) => {
      const found = objects.get(ref);
      if (found !== undefined) queue.push(found);
      return ref;
    });
    if (observed.kind === 'group') queue.push(...(rules.get(observed.id) ?? []));
  }
  return chosen;
}

function isChosen(observed: Observed, objects: Objects, { networks, kinds, ids, labels, among }: Selection): boolean {
  if (among?.has(observed.id) === false) return false;
  if (kinds.length > 0 && !kinds.includes(observed.kind)) return false;
  if (ids.length > 0 && !ids.includes(observed.id)) return false;
  if (!labels.every((label) => hasLabel(observed, label))) return false;
  if (networks.length === 0) return true;
  const network = networkOf(observed, objects);
  return (
    network !== undefined && networks.some((one) => one === network || one === objects.get(network)?.observed.name)
  );
}

function hasLabel({ attributes }: Observed, { key, value }: Label): boolean {
  if (!('labels' in attributes) || !Object.hasOwn(attributes.labels, key)) return false;
  return value === undefined || attributes.labels[key] === value;
}
