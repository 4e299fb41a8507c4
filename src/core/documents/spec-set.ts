import {
  type Document,
  type EstateDoc,
  type FirewallRuleDoc,
  type GroupDoc,
  type InstanceDoc,
  type NetworkDoc,
  ownName,
  type TargetDoc,
} from './document.ts';
import { treeOf } from './overlay.ts';
import { type DocumentKind, kindOf } from './read-document.ts';
import { type Located, type Path, type Tree, treeAt } from './tree.ts';

/** The documents of a tree by kind, for the checks that look at more than one. Of two with one name the first counts. */
export interface SpecSet {
  readonly documents: readonly Located<Document>[];
  readonly targets: ReadonlyMap<string, Located<TargetDoc>>;
  readonly networks: ReadonlyMap<string, Located<NetworkDoc>>;
  /** By `<network>.<name>`. */
  readonly groups: ReadonlyMap<string, Located<GroupDoc>>;
  readonly rules: readonly Located<FirewallRuleDoc>[];
  readonly instances: readonly Located<InstanceDoc>[];
  /** Every name that stands in the tree, also in documents that have errors: referring to those is no further error. */
  readonly declared: ReadonlyMap<DocumentKind, ReadonlySet<string>>;
}

export function specSet(documents: readonly Located<Document>[], trees: readonly Tree[]): SpecSet {
  return {
    documents,
    targets: byName(ofKind(documents, 'Target')),
    networks: byName(ofKind(documents, 'Network')),
    groups: byName(ofKind(documents, 'Group')),
    rules: ofKind(documents, 'FirewallRule'),
    instances: ofKind(documents, 'Instance'),
    declared: declaredIn(trees),
  };
}

export function ofKind<K extends DocumentKind>(
  documents: readonly Located<Document>[],
  kind: K,
): readonly Located<Extract<Document, { kind: K }>>[] {
  return documents.filter((document): document is Located<Extract<Document, { kind: K }>> => {
    return document.value.kind === kind;
  });
}

function byName<T extends Document>(documents: readonly Located<T>[]): ReadonlyMap<string, Located<T>> {
  const named = new Map<string, Located<T>>();
  for (const document of documents) {
    const name = ownName(document.value);
    if (!named.has(name)) named.set(name, document);
  }
  return named;
}

function declaredIn(trees: readonly Tree[]): ReadonlyMap<DocumentKind, ReadonlySet<string>> {
  const declared = new Map<DocumentKind, Set<string>>();
  for (const tree of trees) {
    const kind = kindOf(tree);
    const name = treeAt(tree, ['metadata', 'name']);
    if (kind === undefined || name?.kind !== 'scalar' || typeof name.value !== 'string') continue;
    const names = declared.get(kind) ?? new Set<string>();
    declared.set(kind, names.add(name.value));
  }
  return declared;
}

/** The unit that a provider lists, locks and limits together. Azure ignores case: its names have none. */
export function scopeOf({ spec }: TargetDoc): string {
  const { provider, account, region } = spec;
  if (provider === 'gcp') return `gcp/${account}`;
  return provider === 'azure' ? `azure/${account}/${region}`.toLowerCase() : `${provider}/${account}/${region}`;
}

/** The place where a network's name is unique: on GCP the project, on Azure the resource group. */
export const placeOf = (target: TargetDoc): string =>
  target.spec.provider === 'azure' ? `${scopeOf(target)}/${target.spec.resourceGroup}`.toLowerCase() : scopeOf(target);

/** The place where a subnet's name is unique, and whose machines it serves: on GCP the zones of its region. */
export const subnetPlaceOf = (target: TargetDoc): string =>
  target.spec.provider === 'gcp' ? `${scopeOf(target)}/${target.spec.region}` : placeOf(target);

/** The targets by these names that the specs have; unknown ones are another check's finding. */
export const targetsOf = (set: SpecSet, names: readonly string[]): readonly Located<TargetDoc>[] =>
  names.flatMap((name) => set.targets.get(name) ?? []);

/** The targets of a rule or group: those of its network, or fewer if it says so. Without a network: those that it names. */
export function targetsIn(set: SpecSet, { spec }: FirewallRuleDoc | GroupDoc): readonly Located<TargetDoc>[] {
  if (spec.network === undefined) return targetsOf(set, spec.targets ?? []);
  const names = set.networks.get(spec.network)?.value.spec.targets ?? [];
  return targetsOf(
    set,
    names.filter((name) => spec.targets?.includes(name) ?? true),
  );
}

/** A document's reference to a group. The group may have a document of its own. */
export interface GroupUse {
  readonly document: Located<unknown>;
  readonly network: string;
  readonly name: string;
  readonly path: Path;
  /** True where it puts an instance into the group. */
  readonly fills: boolean;
}

export const groupsIn = (set: SpecSet): readonly GroupUse[] => [
  ...set.rules.flatMap(inRule),
  ...set.instances.flatMap(inInstance),
];

/** The groups that have a document, as references of their own documents. */
export const declaredGroups = ({ groups }: SpecSet): readonly GroupUse[] =>
  [...groups.values()].map((document) => ({
    ...{ document, network: document.value.spec.network, name: document.value.metadata.name },
    ...{ path: ['metadata', 'name'], fills: false },
  }));

interface GroupOn {
  readonly network: string;
  readonly name: string;
  readonly target: string;
}

/** The name of a group on the cloud of this target, where its document states one. */
export function statedName({ groups }: SpecSet, { network, name, target }: GroupOn): string | undefined {
  const { targets = [target], names = {} } = groups.get(`${network}.${name}`)?.value.spec ?? {};
  return targets.includes(target) && Object.hasOwn(names, target) ? names[target] : undefined;
}

/** The object, or on Google Cloud the network tag, that a group adopts on this target: by its document, or by its entry in the network. */
export function adoptedOn(
  { networks, groups }: SpecSet,
  { network, name }: Omit<GroupOn, 'target'>,
  { metadata }: TargetDoc,
): string | undefined {
  const entry = networks.get(network)?.value.spec.groups.find((one) => one.name === name);
  return groups.get(`${network}.${name}`)?.value.metadata.adopt?.[metadata.name] ?? entry?.adopt?.[metadata.name];
}

/**
 * The service account that is a group on a target of Google Cloud: the name that the group has or adopts there is an address, which no
 * network tag is. Undefined of every other group.
 */
export function accountOf(set: SpecSet, group: Omit<GroupOn, 'target'>, target: TargetDoc): string | undefined {
  if (target.spec.provider !== 'gcp') return undefined;
  const called = adoptedOn(set, group, target) ?? statedName(set, { ...group, target: target.metadata.name });
  return called?.includes('@') === true ? called : undefined;
}

function inRule(document: Located<FirewallRuleDoc>): readonly GroupUse[] {
  const { network, group, appliesTo, peers } = document.value.spec;
  if (network === undefined) return [];
  const use = (name: string, path: Path): GroupUse => ({ document, network, name, path, fills: false });
  return [
    ...(group === undefined ? [] : [use(group, ['spec', 'group'])]),
    ...(appliesTo?.groups ?? []).map((name, index) => use(name, ['spec', 'appliesTo', 'groups', index])),
    ...peers.groups.map((name, index) => use(name, ['spec', 'peers', 'groups', index])),
  ];
}

function inInstance(document: Located<InstanceDoc>): readonly GroupUse[] {
  const { network, groups = [], on } = document.value.spec;
  const use = (name: string, path: Path): GroupUse => ({ document, network, name, path, fills: true });
  return [
    ...groups.map((name, index) => use(name, ['spec', 'groups', index])),
    ...Object.entries(on).flatMap(([target, own]) =>
      (own.groups ?? []).map((name, index) => use(name, ['spec', 'on', target, 'groups', index])),
    ),
  ];
}

/** The Estate of these specs: the root's own. One in a team's tree is an error, and decides nothing meanwhile. */
export const estateOf = (documents: readonly Located<Document>[]): Located<EstateDoc> | undefined =>
  ofKind(documents, 'Estate').find(({ at }) => treeOf(at().file) === '');
