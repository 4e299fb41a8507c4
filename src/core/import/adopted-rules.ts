import { parseCidr } from '../cidr.ts';
import type { Observed } from '../observed.ts';
import type { Ref, RuleAttributes } from '../resource.ts';
import { compareText } from '../text.ts';
import { NameRegister, orElse } from './names.ts';
import {
  givenNames,
  type ImportedDocument,
  type Inside,
  isKind,
  noTarget,
  type ScopeImport,
  targetOf,
} from './scope-import.ts';

/**
 * Documents for rules that no group holds: firewalls of Google Cloud and security rules of Azure. Each stands for one object, in the
 * whole form of it.
 */
export function adoptedRuleDocuments(state: ScopeImport): readonly ImportedDocument[] {
  const documents = state.wanted.filter(isKind('firewall-rule')).flatMap((observed) => {
    if (observed.attributes.group !== undefined) return [];
    const document = adoptedRuleDocument(observed, state);
    if (typeof document !== 'string') return [document];
    state.uncovered.set(observed.id, document);
    return [];
  });
  return documents.toSorted((a, b) => compareText(a.network, b.network));
}

/** The document, or the reason that none can say it. */
function adoptedRuleDocument(observed: Observed<'firewall-rule'>, state: ScopeImport): ImportedDocument | string {
  const { attributes, id, name: called } = observed;
  const { match } = attributes;
  const sideOf = (items: readonly string[]): readonly SideItem[] =>
    items.map((item) => sideItem(item, (ref) => groupOf(ref, attributes.network, state)));
  const [machines, peers] = [sideOf(match.targets ?? []), sideOf(match.peers)];
  const home = homeOf(attributes, state);
  const strange = [...machines, ...peers].find(({ group }) => group !== undefined && group.network !== home?.name);
  if (strange !== undefined) return `No group of a document stands for ${strange.text}.`;
  const services = servicesOf(match);
  if (services === undefined) return `It names source ports: ${match.ports}.`;
  const own = targetOf(observed, state.scope);
  if (own === undefined) return noTarget(observed, state.scope);
  // why: a security group of Azure that filters no subnet lies in no network
  const holder = (home?.name ?? lastPart(attributes.network)) || 'rules';
  const name = state.names.FirewallRule.take([
    ...givenNames([id], state.given),
    orElse(called, id),
    `${holder}-${called}`,
  ]);
  const targets = home?.targets ?? [own.name];
  return {
    kind: 'FirewallRule',
    name,
    network: holder,
    value: {
      apiVersion: 'setpoint.dev/v1',
      kind: 'FirewallRule',
      metadata: { name, adopt: Object.fromEntries(targets.map((target) => [target, id])) },
      spec: {
        ...(home === undefined ? { targets } : { network: home.name }),
        ...(match.direction === 'egress' ? { direction: match.direction } : {}),
        ...(match.action === 'deny' ? { action: match.action } : {}),
        ...(services.length === 1 ? services[0] : { protocols: services }),
        ...machinesOf(machines),
        peers: peers.some(({ list }) => list === 'any') ? { any: true } : listsOf(peers),
        ...extrasOf(attributes),
      },
    },
    objects: [id],
    comments: [],
  };
}

/** Fields that differ from the defaults of a document. A description that is too long for one stays unstated, as people wrote it. */
const extrasOf = ({ description, order }: RuleAttributes): object => ({
  ...(order === undefined || order.priority === usualPriority ? {} : { priority: order.priority }),
  ...(description === '' || description.length > longestDescription ? {} : { description }),
  ...(order?.disabled ? { disabled: true } : {}),
  ...(order?.log ? { log: true } : {}),
});

/** As the schemas of documents have it. */
const usualPriority = 1000;
const longestDescription = 255;

const lastPart = (id: string): string => id.replace(/#.*$/, '').split('/').at(-1) ?? '';

interface Home {
  readonly name: string;
  readonly targets: readonly string[];
}

/** The document of its network; of a rule that lies in no network, that of the groups it names. */
function homeOf(
  { network, match }: RuleAttributes,
  { networks, networkTargets, inside }: ScopeImport,
): Home | undefined {
  const groups = [...(match.targets ?? []), ...match.peers.map((peer) => peer.replace(/^group:/, ''))];
  const named = groups.flatMap((group) => inside.get(group)?.network ?? []);
  const name = networks.get(network) ?? named[0];
  const targets = networkTargets.get(name ?? '');
  return name === undefined || targets === undefined ? undefined : { name, targets };
}

type List = 'groups' | 'cidrs' | 'serviceTags' | 'serviceAccounts' | 'any';

/** A peer, or a side of the machines that a rule applies to, as an entry of a list of its document. */
export interface SideItem {
  readonly list: List;
  /** As the document has it. */
  readonly text: string;
  /** A group with the network that it is of; '' where no document has it. */
  readonly group?: { readonly network: string };
}

/** `groupOf`: the group of a document that a Ref leads to. */
export function sideItem(item: string, groupOf: (ref: Ref) => Inside | undefined): SideItem {
  if (item === 'any') return { list: 'any', text: item };
  if (item.startsWith('service-tag:')) return { list: 'serviceTags', text: item.slice('service-tag:'.length) };
  if (item.startsWith('service-account:'))
    return { list: 'serviceAccounts', text: item.slice('service-account:'.length) };
  const block = item.replace(/^range:/, '');
  if (parseCidr(block) !== undefined) return { list: 'cidrs', text: block };
  const ref = item.replace(/^group:/, '');
  const group = groupOf(ref);
  return { list: 'groups', text: group?.name ?? ref, group: { network: group?.network ?? '' } };
}

const groupOf = (ref: Ref, network: Ref, { inside, tags }: ScopeImport): Inside | undefined =>
  ref.startsWith('tag:') ? tags.get(`${network} ${ref}`) : inside.get(ref);

function listsOf(items: readonly SideItem[]): Readonly<Record<string, readonly string[]>> {
  const lists = Map.groupBy(items, ({ list }) => list);
  return Object.fromEntries([...lists].map(([list, all]) => [list, all.map(({ text }) => text)]));
}

/** The field that names the machines of a rule: `group` for one group, else `appliesTo`. */
export function machinesOf(items: readonly SideItem[]): object {
  const [first, ...more] = items;
  if (first === undefined) return { appliesTo: { network: true } };
  return first.list === 'groups' && more.length === 0 ? { group: first.text } : { appliesTo: listsOf(items) };
}

export interface ServiceFields {
  readonly protocol: string | number;
  readonly ports?: readonly (string | number)[];
}

/** The protocols of a rule with their ports: `tcp` and `80,443`, or `tcp,udp` and `tcp:80;udp:all`. Undefined for source ports. */
export function servicesOf({ protocol, ports }: RuleAttributes['match']): readonly ServiceFields[] | undefined {
  if (ports.includes(' from ')) return undefined;
  if (!protocol.includes(',')) return [serviceOf(protocol, ports)];
  return ports.split(';').map((text) => {
    const cut = text.indexOf(':');
    return serviceOf(text.slice(0, cut), text.slice(cut + 1));
  });
}

const serviceOf = (protocol: string, ports: string): ServiceFields => ({
  protocol: numeric(protocol),
  ...(ports === 'all' ? {} : { ports: ports.split(',').map(numeric) }),
});

const numeric = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text);

/** Names for the network tags that rules and machines of a network use, as groups of its document. */
export function tagGroups(
  network: { readonly id: string; readonly name: string },
  members: readonly Observed[],
  state: ScopeImport,
) {
  const used = members.flatMap((one) => {
    if (isKind('instance')(one)) return one.attributes.groups ?? [];
    return isKind('firewall-rule')(one) ? [...(one.attributes.match.targets ?? []), ...one.attributes.match.peers] : [];
  });
  const register = new NameRegister(['all']);
  return [...new Set(used)]
    .filter((ref) => ref.startsWith('tag:'))
    .toSorted()
    .map((ref) => {
      const tag = ref.slice('tag:'.length);
      const own = tag.startsWith(`${network.name}-`) ? tag.slice(network.name.length + 1) : '';
      const name = register.take([own, tag]);
      state.tags.set(`${network.id} ${ref}`, { network: network.name, name });
      return { name, tag };
    });
}
