import type { Document, GroupDoc, NetworkDoc } from '../document.ts';
import type { ResourceDoc } from '../effective-terms.ts';
import { error, type Problem, warning } from '../problem.ts';
import { declaredGroups, groupsIn, ofKind, type SpecSet, statedName, subnetPlaceOf, targetsOf } from '../spec-set.ts';
import type { Located, Path, Position } from '../tree.ts';

/**
 * No two documents of a kind by one name, no two subnets of a network, no list that names one thing twice. Names that
 * differ in case only count as one: Azure takes them for one, and so do people.
 */
export function* uniqueNames({ documents }: SpecSet): Iterable<Problem> {
  for (const named of Map.groupBy(documents, whatIs).values()) {
    yield* twins(named.map(nameOf));
  }
  for (const network of ofKind(documents, 'Network')) {
    for (const [what, list] of [
      ['subnet', 'subnets'],
      ['group', 'groups'],
    ] as const)
      yield* twins(
        network.value.spec[list].map(({ name }, index) => ({
          what: `${what} of ${network.value.metadata.name}`,
          name,
          at: network.at(['spec', list, index, 'name']),
        })),
      );
  }
  for (const document of documents) {
    for (const { path, names } of listsOf(document.value)) yield* repeated(document, path, names);
  }
}

interface Named {
  readonly what: string;
  readonly name: string;
  readonly at: Position;
}

const nameOf = (document: Located<Document>): Named => ({
  what: whatIs(document),
  name: document.value.metadata.name,
  at: document.at(['metadata', 'name']),
});

/** Groups are named in their network, all else in the estate. */
const whatIs = ({ value: { kind, spec } }: Located<Document>): string =>
  kind === 'Group' ? `${kind} of ${spec.network}` : kind;

function* twins(all: readonly Named[]): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(all, ({ name }) => name.toLowerCase()).values()) {
    for (const other of others) {
      const how = other.name === first?.name ? '' : ', which differs in case only';
      const message = `a second ${other.what} named \`${other.name}\`: the first is at ${first ? place(first.at) : ''}${how}`;
      yield error('duplicate-name', other.at, message, { expected: 'a name of its own' });
    }
  }
}

interface List {
  readonly path: Path;
  readonly names: readonly string[] | undefined;
}

function listsOf({ kind, spec }: Document): readonly List[] {
  switch (kind) {
    case 'Estate':
    case 'Target':
    case 'Prices':
      return [];
    case 'Policy':
    case 'Network':
    case 'Group':
      return [{ path: ['spec', 'targets'], names: spec.targets }];
    case 'FirewallRule':
      return [
        { path: ['spec', 'targets'], names: spec.targets },
        { path: ['spec', 'peers', 'cidrs'], names: spec.peers.cidrs },
        { path: ['spec', 'peers', 'groups'], names: spec.peers.groups },
        { path: ['spec', 'peers', 'groupIds'], names: spec.peers.groupIds },
        { path: ['spec', 'peers', 'serviceAccounts'], names: spec.peers.serviceAccounts },
        { path: ['spec', 'peers', 'prefixLists'], names: spec.peers.prefixLists },
        { path: ['spec', 'peers', 'serviceTags'], names: spec.peers.serviceTags.map((tag) => tag.toLowerCase()) },
        ...(['groups', 'subnets', 'cidrs', 'serviceTags', 'serviceAccounts'] as const).map((list) => ({
          path: ['spec', 'appliesTo', list],
          names: spec.appliesTo?.[list],
        })),
      ];
    case 'Instance':
      return [
        { path: ['spec', 'targets'], names: spec.targets },
        { path: ['spec', 'groups'], names: spec.groups },
      ];
  }
}

/** Once more in a list changes nothing, so it is only a warning; CIDRs are canonical here, whatever their spelling. */
function* repeated({ at }: Located<Document>, path: Path, names: readonly string[] = []): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) yield warning('repeated', at([...path, index]), `\`${name}\` is already in this list`);
    seen.add(name);
  }
}

/**
 * A thing inside a network is called `<network>-<name>`, so `core` with `web-app` and `core-web` with `app` are one where
 * the cloud knows such names beyond the network: subnets of a region on GCP
 * (https://cloud.google.com/compute/docs/naming-resources), application security groups of a resource group on Azure
 * (https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules).
 */
export function* joinedNames(set: SpecSet): Iterable<Problem> {
  const reported = new Set<string>();
  for (const [key, things] of Map.groupBy(thingsIn(set), ({ where, called }) => `${where} ${called.toLowerCase()}`)) {
    const first = things[0];
    const other = things.find(({ network }) => network !== first?.network);
    if (!first || !other || reported.has(other.called)) continue;
    reported.add(other.called);
    const where = place(first.document.at(first.path));
    const message = `${other.network} and ${first.network} (${where}) both have a ${other.what} called ${other.called} in ${key.split(' ')[0]}`;
    yield error('joined-name', other.document.at(other.path), message, { expected: 'another name for one of the two' });
  }
}

interface Thing {
  readonly what: 'subnet' | 'group';
  readonly document: Located<unknown>;
  readonly path: Path;
  readonly network: string;
  readonly where: string;
  readonly called: string;
}

const thingsIn = (set: SpecSet): readonly Thing[] => [
  ...[...set.networks.values()].flatMap((network) => [...subnetsOnGcp(set, network)]),
  ...groupsOnAzure(set),
];

function* subnetsOnGcp(set: SpecSet, document: Located<NetworkDoc>): Iterable<Thing> {
  const { metadata, spec } = document.value;
  const network = metadata.name;
  for (const [index, { name, target }] of spec.subnets.entries()) {
    const path = ['spec', 'subnets', index, 'name'];
    for (const where of placesOf(set, target === undefined ? spec.targets : [target], 'gcp')) {
      yield { what: 'subnet', document, path, network, where, called: `${network}-${name}` };
    }
  }
}

function* groupsOnAzure(set: SpecSet): Iterable<Thing> {
  for (const { document, path, network, name } of [...groupsIn(set), ...declaredGroups(set)]) {
    for (const target of targetsOf(set, set.networks.get(network)?.value.spec.targets ?? [])) {
      if (target.value.spec.provider !== 'azure') continue;
      const called = statedName(set, { network, name, target: target.value.metadata.name }) ?? `${network}-${name}`;
      yield { what: 'group', document, path, network, where: subnetPlaceOf(target.value), called };
    }
  }
}

/** The places where the names are unique; `subnetPlaceOf` is the resource group on Azure. */
const placesOf = (set: SpecSet, targets: readonly string[], provider: 'gcp' | 'azure'): ReadonlySet<string> =>
  new Set(
    targetsOf(set, targets)
      .filter(({ value }) => value.spec.provider === provider)
      .map(({ value }) => subnetPlaceOf(value)),
  );

/** A former name belongs to one document, and to none that bears it now: else two would claim one object. */
export function* formerNames(set: SpecSet): Iterable<Problem> {
  for (const documents of [[...set.networks.values()], set.rules, set.instances]) {
    yield* claims(documents);
  }
  for (const groups of Map.groupBy(set.groups.values(), ({ value }) => value.spec.network).values()) {
    yield* claims(groups);
    for (const group of groups) yield* stillNamed(set, group);
  }
}

/** A group needs no document: it exists while a rule, an instance or an entry of its network names it. */
function* stillNamed(set: SpecSet, group: Located<GroupDoc>): Iterable<Problem> {
  const { metadata, spec } = group.value;
  if (metadata.was === undefined) return;
  const network = set.networks.get(spec.network);
  const entries = (network?.value.spec.groups ?? []).map(({ name }, index) => ({
    name,
    at: network?.at(['spec', 'groups', index]),
  }));
  const all = network?.value.spec.allGroup ? [{ name: 'all', at: network.at() }] : [];
  const uses = groupsIn(set)
    .filter((use) => use.network === spec.network)
    .map(({ name, document, path }) => ({ name, at: document.at(path) }));
  for (const [index, was] of metadata.was.entries()) {
    const use = [...uses, ...entries, ...all].find(({ name }) => name === was);
    if (use?.at === undefined) continue;
    const message = `\`${was}\` is still a group of ${spec.network}: see ${place(use.at)}`;
    yield error('former-name', group.at(['metadata', 'was', index]), message, { expected: 'a name no longer in use' });
  }
}

function* claims(documents: readonly Located<ResourceDoc>[]): Iterable<Problem> {
  const owners = new Map(documents.map((document) => [document.value.metadata.name, document]));
  for (const document of documents) {
    for (const [index, was] of (document.value.metadata.was ?? []).entries()) {
      const other = owners.get(was);
      owners.set(was, other ?? document);
      if (!other) continue;
      const same = other === document;
      const message = same
        ? `\`${was}\` is its name now`
        : `\`${was}\` belongs to the document at ${place(other.at())}`;
      yield error('former-name', document.at(['metadata', 'was', index]), message, {
        expected: 'a name no longer in use',
      });
    }
  }
}

/** No two sources, signers or hooks of an estate by one name; in any case, as folders and addresses are made of them. */
export function* estateNames({ documents }: SpecSet): Iterable<Problem> {
  for (const estate of ofKind(documents, 'Estate')) {
    const { sources, signatures, hooks } = estate.value.spec;
    yield* twinsIn(estate, { what: 'source', path: ['spec', 'sources'], list: sources });
    yield* twinsIn(estate, { what: 'signer', path: ['spec', 'signatures', 'signers'], list: signatures?.signers });
    yield* twinsIn(estate, { what: 'hook', path: ['spec', 'hooks'], list: hooks });
  }
}

interface NamedList {
  readonly what: string;
  readonly path: readonly string[];
  readonly list: readonly { readonly name: string }[] | undefined;
}

/** Each name of a document's own list once, in any case. */
export function* twinsIn({ at }: Located<unknown>, { what, path, list = [] }: NamedList): Iterable<Problem> {
  const first = new Map<string, number>();
  for (const [index, { name }] of list.entries()) {
    const before = first.get(name.toLowerCase());
    if (before === undefined) first.set(name.toLowerCase(), index);
    else {
      const message = `a second ${what} named \`${name}\`: the first is at ${place(at([...path, before, 'name']))}`;
      yield error('duplicate-name', at([...path, index, 'name']), message, { expected: 'a name of its own' });
    }
  }
}

/** Exactly one Estate: it names the owner of everything, so none means nothing can be told ours. */
export function* oneEstate({ documents, declared }: SpecSet): Iterable<Problem> {
  const [first, ...others] = ofKind(documents, 'Estate');
  if (!first && !declared.has('Estate')) {
    const at = documents[0]?.at() ?? { file: '', line: 1, column: 1 };
    const expected = 'exactly one document of kind Estate in the tree';
    yield error('no-estate', at, 'these specs have no Estate', { expected });
  }
  for (const other of others) {
    const message = `a second Estate: the first is at ${first ? place(first.at()) : 'another place'}`;
    yield error('second-estate', other.at(), message, { expected: 'exactly one' });
  }
}

/** Another place in a message: `core.yaml:12`. */
export const place = (at: Position): string => `${at.file}:${at.line}`;
