import { formatCidr, parseCidr } from '../cidr.ts';
import type { WithCriticality } from '../criticality.ts';
import { type Desired, type Mode, strictest, type Terms } from '../desired.ts';
import { type GroupDoc, type NetworkDoc, stated } from '../documents/document.ts';
import type { Located } from '../documents/tree.ts';
import {
  type Address,
  type Labels,
  type NetworkSettings,
  routeTerms,
  type SubnetSettings,
  sortRoutes,
} from '../resource.ts';
import { compareText } from '../text.ts';
import { addressAt, criticalityAt, documentRef, modeAt, type Site } from './site.ts';
import { termsOf } from './terms.ts';

type SubnetSpec = NetworkDoc['spec']['subnets'][number];

/** A network on one target: itself and its subnets. */
export function compileNetwork(document: Located<NetworkDoc>, site: Site): readonly Desired[] {
  const { metadata, spec } = document.value;
  const address = addressAt(site, 'network', metadata.name);
  const labels = metadata.labels ?? {};
  const network: Desired<'network'> = {
    kind: 'network',
    address,
    name: site.dialect.names.objectName('network', metadata.name),
    attributes: held(site.dialect.holds.network, {
      cidr: canonical(spec.cidr),
      ...internetOf(spec),
      ...filterOf(spec),
      ...settingsOf(spec.settings, site),
      labels,
    }),
    terms: { ...baseTerms(document, site), ...claimOf(site, 'network', metadata) },
    documents: [documentRef(document, address)],
  };
  const here = spec.subnets.filter(({ target }) => target === undefined || target === site.target.metadata.name);
  return [network, ...here.map((subnet) => compileSubnet(document, subnet, network, site))];
}

function compileSubnet(
  document: Located<NetworkDoc>,
  subnet: SubnetSpec,
  network: Desired<'network'>,
  site: Site,
): Desired<'subnet'> {
  const { metadata, spec } = document.value;
  const name = `${metadata.name}.${subnet.name}`;
  const was = [metadata.name, ...(metadata.was ?? [])]
    .flatMap((parent) => [subnet.name, ...(subnet.was ?? [])].map((child) => `${parent}.${child}`))
    .filter((former) => former !== name);
  return {
    kind: 'subnet',
    address: addressAt(site, 'subnet', name),
    name: site.dialect.names.objectName('subnet', name),
    attributes: held(site.dialect.holds.subnet, {
      network: network.address,
      cidr: canonical(subnet.cidr),
      ...(subnet.zone === undefined ? {} : { zone: subnet.zone }),
      ...internetOf(spec),
      ...filterOf(spec),
      ...settingsOf(subnet.settings, site),
      labels: metadata.labels ?? {},
    }),
    terms: { ...baseTerms(document, site), ...claimOf(site, 'subnet', { adopt: subnet.adopt, was }) },
    documents: network.documents,
  };
}

/** Absent where nobody manages the way out: it is neither compared nor changed. */
const internetOf = ({ internet }: NetworkDoc['spec']): { readonly internet?: boolean } =>
  internet === 'unmanaged' ? {} : { internet };

/** Absent where the security groups on its subnets are somebody else's. */
const filterOf = ({ filter }: NetworkDoc['spec']): { readonly filter?: true } =>
  filter === 'managed' ? { filter: true } : {};

type Given<S> = { readonly [K in keyof S]?: S[K] | undefined };

/**
 * As providers report them: lists sorted, names of Azure in lower case, as it tells no case apart, and ids of Google Cloud without
 * their number, as its answers have none where one object names another.
 */
function settingsOf(
  settings: Given<NetworkSettings & SubnetSettings> | undefined,
  { target }: Site,
): { readonly settings?: NetworkSettings & SubnetSettings } {
  if (settings === undefined) return {};
  const { secondaryCidrs, ipv6Cidrs, secondaryRanges, routes, natGateways, natGateway, peerings, ...flags } = settings;
  const { provider } = target.spec;
  const named = (name: string): string => {
    if (provider === 'azure') return name.toLowerCase();
    return provider === 'gcp' ? name.replace(/#\d+$/, '') : name;
  };
  return {
    settings: stated({
      ...flags,
      secondaryCidrs: secondaryCidrs?.toSorted(compareText),
      ipv6Cidrs: ipv6Cidrs?.toSorted(compareText),
      secondaryRanges: secondaryRanges?.toSorted((a, b) => compareText(a.name, b.name)),
      routes:
        routes &&
        sortRoutes(
          routes.map((one) => ({
            destination: canonical(one.destination),
            nextHop: named(one.nextHop),
            ...routeTerms(one.priority, one.tags),
          })),
        ),
      natGateways: natGateways?.toSorted(compareText),
      natGateway: natGateway === undefined ? undefined : named(natGateway),
      peerings: peerings
        ?.map((one) => ({ name: named(one.name), network: named(one.network) }))
        .toSorted((a, b) => compareText(a.name, b.name)),
    }),
  };
}

/** The groups of a network here: those that somebody names, those with a document, and `all` unless the network declines it. */
export function compileGroups(
  network: Located<NetworkDoc>,
  { named, declared }: { readonly named: ReadonlySet<string>; readonly declared: readonly Located<GroupDoc>[] },
  site: Site,
): readonly Desired<'group'>[] {
  const byName = new Map(declared.map((document) => [document.value.metadata.name, document]));
  const names = new Set([...named, ...byName.keys()].filter((name) => name !== 'all').sort());
  return [...(network.value.spec.allGroup ? ['all'] : []), ...names].map((name) => {
    const document = byName.get(name);
    const implied = impliedGroup(network, name, site);
    return document === undefined ? implied : declaredGroup(document, implied, { network, site });
  });
}

/** A group without a document is as its network says. */
function impliedGroup(document: Located<NetworkDoc>, group: string, site: Site): Desired<'group'> {
  const { metadata, spec } = document.value;
  const network = addressAt(site, 'network', metadata.name);
  const name = `${metadata.name}.${group}`;
  const was = (metadata.was ?? []).map((former) => `${former}.${group}`);
  const adopt = spec.groups.find((one) => one.name === group && one.adopt !== undefined)?.adopt;
  return {
    kind: 'group',
    address: addressAt(site, 'group', name),
    name: site.dialect.names.objectName('group', name),
    attributes: { network, defaultEgress: spec.default.egress, labels: metadata.labels ?? {} },
    terms: { ...baseTerms(document, site), ...claimOf(site, 'group', { adopt, was }) },
    documents: [documentRef(document, network)],
  };
}

/**
 * The document of a group over what its network says. Where both speak the stricter holds: adding the document loosens nothing.
 *
 *   term            | of a group with a document
 *   ----------------+--------------------------------------------------
 *   mode            | the stricter of the two
 *   protect         | if either protects
 *   deletionPolicy  | the group's, if stated; delete, if it has a ttl
 *   criticality     | the group's, if stated
 *   ignore          | of both
 *   labels, adopt   | the group's, if stated
 */
function declaredGroup(
  document: Located<GroupDoc>,
  implied: Desired<'group'>,
  { network, site }: { readonly network: Located<NetworkDoc>; readonly site: Site },
): Desired<'group'> {
  const { metadata, spec } = document.value;
  const here = site.target.metadata.name;
  const stated = spec.names?.[here];
  const { criticality: _, ...own } = termsOf(document.value, site);
  const ignore = [...(implied.terms.ignore ?? []), ...(own.ignore ?? [])];
  const parents = [spec.network, ...(network.value.metadata.was ?? [])];
  const formerly = [metadata.name, ...(metadata.was ?? [])];
  const was = parents.flatMap((parent) => formerly.map((name) => `${parent}.${name}`)).slice(1);
  const adopt = metadata.adopt?.[here] === undefined ? implied.terms.claim?.adopt : metadata.adopt[here];
  const { description } = spec;
  return {
    ...implied,
    name: stated ?? implied.name,
    attributes: {
      ...implied.attributes,
      ...(description !== undefined && site.dialect.holds.groupDescription ? { description } : {}),
      labels: metadata.labels ?? implied.attributes.labels,
    },
    terms: {
      ...own,
      ...groupCriticality(document.value, network.value, site),
      mode: groupMode(document.value, network.value, site),
      protect: own.protect || implied.terms.protect,
      deletionPolicy: spec.deletionPolicy ?? (spec.ttl === undefined ? implied.terms.deletionPolicy : 'delete'),
      ...(ignore.length > 0 ? { ignore } : {}),
      ...(stated === undefined ? {} : { named: true as const }),
      ...claimOf(site, 'group', { adopt: adopt === undefined ? {} : { [here]: adopt }, was }),
    },
    documents: [documentRef(document, implied.address), ...implied.documents],
  };
}

/** The stricter of a group's document and its network's. */
export const groupMode = ({ spec }: GroupDoc, network: NetworkDoc, site: Site): Mode =>
  strictest([modeAt(site, spec.mode), modeAt(site, network.spec.mode)]);

/** The group's, else its network's, else its target's. */
export const groupCriticality = ({ spec }: GroupDoc, network: NetworkDoc, site: Site): WithCriticality =>
  criticalityAt(site, spec.criticality ?? network.spec.criticality);

/** The attributes that this cloud can hold. Labels are owned key by key: none is what remains where there can be none. */
function held<A extends { readonly labels: Labels }>(fields: readonly (keyof A)[], attributes: A): A {
  const names: ReadonlySet<string> = new Set(fields.map(String));
  // why: what is left out is optional in every kind, but for labels, which are put back empty
  return {
    ...Object.fromEntries(Object.entries(attributes).filter(([name]) => names.has(name))),
    labels: names.has('labels') ? attributes.labels : {},
  } as A;
}

const baseTerms = (document: Located<NetworkDoc>, site: Site): Terms => termsOf(document.value, site);

interface Claimable {
  readonly adopt?: Readonly<Record<string, string>> | undefined;
  readonly was?: readonly string[] | undefined;
}

/** The claims of a document besides its own resources: an object to adopt here, former names. */
export function claimOf(
  site: Site,
  kind: 'network' | 'subnet' | 'group' | 'instance',
  { adopt, was = [] }: Claimable,
): Pick<Terms, 'claim'> {
  const id = adopt?.[site.target.metadata.name];
  const former: readonly Address[] = was.map((name) => addressAt(site, kind, name));
  if (id === undefined && former.length === 0) return {};
  return { claim: { ...(id === undefined ? {} : { adopt: id }), ...(former.length > 0 ? { was: former } : {}) } };
}

function canonical(text: string): string {
  const block = parseCidr(text);
  return block === undefined ? text : formatCidr(block);
}
