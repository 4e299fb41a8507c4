import { criticalityOf } from '../criticality.ts';
import type { Desired, DocumentRef, Presence, Terms } from '../desired.ts';
import type { FirewallRuleDoc, NetworkDoc } from '../documents/document.ts';
import { effectiveDeletionPolicy } from '../documents/effective-terms.ts';
import { ownGroups, type Service, servicesOf } from '../documents/firewall-rule.ts';
import type { Located } from '../documents/tree.ts';
import { isAccount, isTag } from '../kinds/rules.ts';
import { formatPort } from '../port-set.ts';
import { type Address, nameIn, type Ref } from '../resource.ts';
import { atomAddress } from './atom-address.ts';
import type { Atom, RuleDraft } from './dialect.ts';
import { addressAt, criticalityAt, documentRef, modeAt, type Site } from './site.ts';
import { termsOf } from './terms.ts';

type Rule = Desired<'firewall-rule'>;

/**
 * One rule document on one target: the atoms that its cloud holds for each side and each protocol, or the one rule that it adopts
 * there.
 */
export function compileRule(document: Located<FirewallRuleDoc>, site: Site): readonly Rule[] {
  const { metadata, spec } = document.value;
  const { direction, action, network: inNetwork } = spec;
  const ref = documentRef(document, ruleAddress(document.value, site));
  const terms = termsOf(document.value, site);
  const network = inNetwork === undefined ? '' : addressAt(site, 'network', inNetwork);
  const targets = machinesOf(spec, site);
  const services = servicesOf(spec).map((one) => ({ protocol: String(one.protocol), ports: portsOf(one) }));
  const peers = peersOf(spec, site);
  const extra = {
    description: spec.description ?? '',
    priority: spec.priority,
    disabled: spec.disabled,
    log: spec.log,
  };
  const { rules } = site.dialect;
  const adopt = metadata.adopt?.[site.target.metadata.name];
  if (adopt !== undefined && rules.adopted !== undefined) {
    const attributes = rules.adopted({ network, targets, base: { direction, action }, services, peers, extra });
    const own = { terms: adopting(terms, adopt, spec), documents: [ref] };
    return [{ kind: 'firewall-rule', address: ref.address, name: metadata.name, attributes, ...own }];
  }
  return (targets.length === 0 ? [''] : targets).flatMap((group) =>
    services.flatMap(({ protocol, ports }) => {
      const name = services.length === 1 ? metadata.name : `${metadata.name}-${protocol}`;
      const base = { direction, action, protocol };
      const draft: RuleDraft = { name, network, group, base, traffic: { ports, peers }, extra };
      return rules.atoms(draft).map((atom) => toDesired(atom, terms, ref, site));
    }),
  );
}

/** A description that no document states stays as people wrote it. */
const adopting = (terms: Terms, adopt: string, { description }: FirewallRuleDoc['spec']): Terms => ({
  ...terms,
  claim: { adopt },
  ...(description === undefined ? { ignore: [...(terms.ignore ?? []), 'description'] } : {}),
});

/** The atoms that say the network's `default`, for every group that stands there; they go, or stay, with the network. */
export function compileDefaults(
  document: Located<NetworkDoc>,
  groups: readonly Address[],
  site: Site,
): readonly Rule[] {
  const network = addressAt(site, 'network', document.value.metadata.name);
  const { default: wanted, filter, mode, criticality } = document.value.spec;
  if (filter === 'unmanaged' && site.dialect.holds.network.includes('filter')) return [];
  const ref = documentRef(document, network);
  const deletionPolicy = effectiveDeletionPolicy(document.value, site.estate);
  const terms: Terms = {
    mode: modeAt(site, mode),
    protect: false,
    deletionPolicy,
    ...criticalityAt(site, criticality),
  };
  return site.dialect.rules
    .defaults({ network, groups, default: wanted })
    .map(({ presence, ...atom }) => toDesired(atom, { ...terms, ...presenceOf(presence) }, ref, site));
}

/** An atom stays while any document wants it: equal ones are one, with all their documents. What is stated outweighs what is implied. */
export function uniteAtoms(atoms: readonly Rule[]): readonly Rule[] {
  const byAddress = new Map<Address, Rule>();
  for (const atom of atoms.toSorted((a, b) => weight(a) - weight(b))) {
    const known = byAddress.get(atom.address);
    if (known === undefined) byAddress.set(atom.address, atom);
    else byAddress.set(atom.address, united(known, atom));
  }
  return [...byAddress.values()];
}

/** One document that protects or retains is enough. */
function united(known: Rule, more: Rule): Rule {
  const protect = known.terms.protect || more.terms.protect;
  const stays = [known, more].some(({ terms }) => terms.deletionPolicy === 'retain');
  const { criticality: _, ...own } = known.terms;
  const criticality = criticalityOf([known.terms, more.terms]);
  const terms: Terms = { ...own, protect, deletionPolicy: stays ? 'retain' : 'delete', ...criticality };
  return { ...known, terms, documents: [...known.documents, ...more.documents] };
}

export const ruleAddress = ({ metadata, spec }: FirewallRuleDoc, site: Site): Address =>
  addressAt(site, 'firewall-rule', spec.network === undefined ? metadata.name : `${spec.network}.${metadata.name}`);

/** A Ref: the address of the group, or only its name where groups are no objects: `tag:core-web`, `service-account:<email>`. */
export function groupRef(network: string, group: string, site: Site): Ref {
  const name = `${network}.${group}`;
  if (site.dialect.holds.groups === 'objects') return addressAt(site, 'group', name);
  const called = site.groupNames.get(name) ?? site.dialect.names.objectName('group', name);
  return `${called.includes('@') ? 'service-account' : 'tag'}:${called}`;
}

function toDesired(atom: Atom, terms: Terms, document: DocumentRef, site: Site): Rule {
  const { attributes } = atom;
  const address = atomAddress(site.dialect, attributes.group ?? attributes.network, atom);
  const called = nameIn(address, 'firewall-rule');
  const name = atom.name === '' ? '' : site.dialect.names.objectName('firewall-rule', called);
  return { kind: 'firewall-rule', address, name, attributes, terms, documents: [document] };
}

const presenceOf = (presence: Presence): Pick<Terms, 'presence'> => (presence === 'stated' ? {} : { presence });
const weight = ({ terms }: Rule): number => (terms.presence === undefined ? 0 : 1);

function portsOf({ ports, icmp }: Service): readonly string[] {
  if (icmp !== undefined) return [icmp.type === -1 ? 'all' : `${icmp.type}/${icmp.code === -1 ? 'all' : icmp.code}`];
  return ports === undefined ? ['all'] : ports.map(formatPort);
}

const peerOf = (group: Ref): string => (isTag(group) || isAccount(group) ? group : `group:${group}`);

function peersOf({ network, peers }: FirewallRuleDoc['spec'], site: Site): readonly string[] {
  const named = [
    ...peers.cidrs,
    ...(network === undefined ? [] : peers.groups.map((group) => peerOf(groupRef(network, group, site)))),
    ...peers.groupIds.map((id) => `group:${id}`),
    ...peers.prefixLists.map((id) => `prefix-list:${id}`),
    ...peers.serviceTags.map((tag) => `service-tag:${tag}`),
    ...peers.serviceAccounts.map((email) => `service-account:${email}`),
    ...(peers.any ? ['any'] : []),
  ];
  return [...new Set(named)].sort();
}

function machinesOf(spec: FirewallRuleDoc['spec'], site: Site): readonly string[] {
  const { network, appliesTo } = spec;
  const groups = ownGroups(spec) ?? ['all'];
  const named = [
    ...(network === undefined ? [] : groups.map((group) => groupRef(network, group, site))),
    ...(appliesTo?.subnets ?? []).flatMap((subnet) => site.blocks.get(`${network}.${subnet}`) ?? []),
    ...(appliesTo?.cidrs ?? []),
    ...(appliesTo?.serviceTags ?? []).map((tag) => `service-tag:${tag}`),
    ...(appliesTo?.serviceAccounts ?? []).map((email) => `service-account:${email}`),
  ];
  return [...new Set(named)].sort();
}
