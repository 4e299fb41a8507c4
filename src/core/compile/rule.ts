import type { Desired, DocumentRef, Presence, Terms } from '../desired.ts';
import type { FirewallRuleDoc, NetworkDoc } from '../documents/document.ts';
import { effectiveDeletionPolicy } from '../documents/effective-terms.ts';
import type { Located } from '../documents/tree.ts';
import { formatPort } from '../port-set.ts';
import { type Address, nameIn, type Ref } from '../resource.ts';
import { atomAddress } from './atom-address.ts';
import type { Atom, RuleDraft } from './dialect.ts';
import { addressAt, documentRef, modeAt, type Site } from './site.ts';
import { termsOf } from './terms.ts';

type Rule = Desired<'firewall-rule'>;

/** One rule document on one target, as the atoms that its cloud holds. */
export function compileRule(document: Located<FirewallRuleDoc>, site: Site): readonly Rule[] {
  const { spec } = document.value;
  const ref = documentRef(document, ruleAddress(document.value, site));
  const terms = termsOf(document.value, { mode: modeAt(site, spec.mode), today: site.today });
  const draft: RuleDraft = {
    name: document.value.metadata.name,
    network: addressAt(site, 'network', spec.network),
    group: groupRef(spec.network, spec.group ?? 'all', site),
    base: { direction: spec.direction, action: spec.action, protocol: String(spec.protocol) },
    traffic: { ports: portsOf(spec), peers: peersOf(spec, site) },
    extra: {
      description: spec.description ?? '',
      priority: spec.priority,
      disabled: spec.disabled,
      log: spec.log,
    },
  };
  return site.dialect.rules.atoms(draft).map((atom) => toDesired(atom, terms, ref, site));
}

/** The atoms that say the network's `default`, for every group that stands there; they go, or stay, with the network. */
export function compileDefaults(
  document: Located<NetworkDoc>,
  groups: readonly Address[],
  site: Site,
): readonly Rule[] {
  const network = addressAt(site, 'network', document.value.metadata.name);
  const { default: wanted, mode } = document.value.spec;
  const ref = documentRef(document, network);
  const deletionPolicy = effectiveDeletionPolicy(document.value);
  const terms: Terms = { mode: modeAt(site, mode), protect: false, deletionPolicy };
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
  const terms: Terms = { ...known.terms, protect, deletionPolicy: stays ? 'retain' : 'delete' };
  return { ...known, terms, documents: [...known.documents, ...more.documents] };
}

export const ruleAddress = ({ metadata, spec }: FirewallRuleDoc, site: Site): Address =>
  addressAt(site, 'firewall-rule', `${spec.network}.${metadata.name}`);

/** A Ref: the address of the group, or only its name where groups are no objects: `tag:core-web`. */
export function groupRef(network: string, group: string, site: Site): Ref {
  const name = `${network}.${group}`;
  return site.dialect.holds.groups === 'objects'
    ? addressAt(site, 'group', name)
    : `tag:${site.dialect.names.objectName('group', name)}`;
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

function portsOf({ ports, icmp }: FirewallRuleDoc['spec']): readonly string[] {
  if (icmp !== undefined) return [icmp.type === -1 ? 'all' : `${icmp.type}/${icmp.code === -1 ? 'all' : icmp.code}`];
  return ports === undefined ? ['all'] : ports.map(formatPort);
}

const peerOf = (group: Ref): string => (group.startsWith('tag:') ? group : `group:${group}`);

function peersOf({ network, peers }: FirewallRuleDoc['spec'], site: Site): readonly string[] {
  const named = [
    ...peers.cidrs,
    ...peers.groups.map((group) => peerOf(groupRef(network, group, site))),
    ...peers.prefixLists.map((id) => `prefix-list:${id}`),
    ...peers.serviceTags.map((tag) => `service-tag:${tag}`),
    ...(peers.any ? ['any'] : []),
  ];
  return [...new Set(named)].sort();
}
