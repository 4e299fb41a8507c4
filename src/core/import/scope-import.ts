import type { Dialect, Place } from '../compile/dialect.ts';
import type { Ownership } from '../inventory/ownership.ts';
import { rulesOf } from '../kinds/kinds.ts';
import type { Observed } from '../observed.ts';
import { isHalfMade } from '../plan/claim.ts';
import type { Address, CloudId, Kind, Labels, ScopeKey } from '../resource.ts';
import { compareText } from '../text.ts';
import type { NameRegister } from './names.ts';
import type { Objects } from './selection.ts';
import type { GivenName } from './terraform/addresses.ts';

/** One scope as it was observed. */
export interface ImportScope {
  readonly scope: ScopeKey;
  readonly targets: readonly ImportTarget[];
  readonly dialect: Dialect;
  readonly objects: readonly Ownership[];
  /** Kinds that were not listed completely. */
  readonly gaps: ReadonlySet<Kind>;
  /** Objects that documents of the specs adopt already, and the addresses that they get. */
  readonly adopted: ReadonlyMap<CloudId, Address>;
  /** Targets of the documents of the specs, by the addresses of the documents. */
  readonly documentTargets: ReadonlyMap<Address, readonly string[]>;
}

export interface ImportTarget {
  readonly name: string;
  readonly place: Place;
}

export type ImportedKind = 'Network' | 'FirewallRule' | 'Instance';

/** A document as it is written, in the order of its fields. */
export interface ImportedDocument {
  readonly kind: ImportedKind;
  readonly name: string;
  /** The network whose file it goes into. */
  readonly network: string;
  readonly value: object;
  /** The objects that it says. */
  readonly objects: readonly CloudId[];
  /** Facts about its objects that no document can state. */
  readonly comments: readonly string[];
}

/** An object that was chosen, and that no document says. */
export interface Uncovered {
  readonly scope: ScopeKey;
  readonly kind: Kind;
  readonly id: CloudId;
  readonly name: string;
  readonly reason: string;
}

export type Names = Readonly<Record<ImportedKind, NameRegister>>;

/** One scope on the way to its documents. */
export interface ScopeImport {
  readonly scope: ImportScope;
  readonly names: Names;
  /** Names from a state of Terraform; they go before the objects' own. */
  readonly given: ReadonlyMap<CloudId, GivenName>;
  readonly objects: Objects;
  /** The objects to say, sorted by name and id. */
  readonly wanted: readonly Observed[];
  readonly uncovered: Map<CloudId, string>;
  /** Names of networks by id: of ours, and of those with a new document. */
  readonly networks: Map<CloudId, string>;
  /** Targets of the documents of those networks, by name. */
  readonly networkTargets: Map<string, readonly string[]>;
  /** Names of subnets and groups by id, inside their networks. */
  readonly inside: Map<CloudId, Inside>;
  /** Groups that stand for network tags, by `<id of the network> tag:<tag>`. */
  readonly tags: Map<string, Inside>;
}

export interface Inside {
  readonly network: string;
  readonly name: string;
}

export const isKind =
  <K extends Kind>(kind: K) =>
  (observed: Observed): observed is Observed<K> =>
    observed.kind === kind;

/** References to what is ours lead to addresses: here each leads to an id. */
export function byIds(objects: readonly Ownership[]): readonly Ownership[] {
  const ids = new Map(
    objects.flatMap(({ claim, address, observed }) =>
      claim === 'ours' && address !== undefined ? [[address, observed.id]] : [],
    ),
  );
  return objects.map((one) => {
    const attributes = rulesOf(one.observed.kind).mapRefs(one.observed.attributes, (ref) => ids.get(ref) ?? ref);
    return { ...one, observed: { ...one.observed, attributes } };
  });
}

/** Present, whole, and not about to go. */
export const stands = (observed: Observed): boolean =>
  observed.condition.state !== 'gone' && observed.condition.state !== 'deleting' && !isHalfMade(observed);

export const nameOf = ({ id, name }: Observed, { given }: Pick<ScopeImport, 'given'>): string =>
  given.get(id)?.name ?? name;

/** The given name of one object, or that of several with one stem; none where they have different ones. */
export function givenNames(ids: readonly CloudId[], given: ScopeImport['given']): readonly string[] {
  const found = ids.map((id) => given.get(id));
  const [first] = found;
  if (first === undefined) return [];
  if (found.length === 1) return [first.name];
  const isOneStem = found.every((one) => one?.stem === first.stem);
  return isOneStem ? [first.stem, first.name] : [];
}

/** The target of an object, where names have places: a zone of Google Cloud, a resource group of Azure. Else the first. */
export function targetOf(
  { kind, signs: { slot } }: Observed,
  { targets, dialect }: ImportScope,
): ImportTarget | undefined {
  if (slot === undefined) return targets[0];
  return targets.find(({ place }) => slot.startsWith(`${dialect.names.prefix(kind, place)}/${kind}/`.toLowerCase()));
}

/**
 * The reason that no target has the place of an object, with the field of the target that is to be added. A slot of Azure begins with
 * location and resource group, one of Google Cloud with the region of a subnet or the zone of a machine.
 */
export function noTarget({ kind, signs: { slot = '' } }: Observed, { scope }: ImportScope): string {
  const [, , first, second] = slot.split(`/${kind}/`)[0]?.split('/') ?? [];
  if (first === undefined) return `No target of the specs is in ${scope}. Add one.`;
  const ofGoogle = kind === 'subnet' ? ['region', 'region'] : ['zone', 'zone'];
  const [called, field] = second === undefined ? ofGoogle : ['resource group', 'resourceGroup'];
  const place = second ?? first;
  return `No target of the specs has its ${called} ${place}. Add a target with ${field}: ${place}, then import again.`;
}

/**
 * Without those that a plain one has: an off switch, an empty list, metadata that answers without a token, an address that the cloud
 * chose.
 */
export function statedSettings({ attributes, condition }: Pick<Observed, 'attributes' | 'condition'>): {
  readonly settings?: object;
} {
  const assigned: ReadonlySet<string> = new Set(condition.assigned);
  const stated = Object.entries(('settings' in attributes ? attributes.settings : undefined) ?? {}).filter(
    ([name, value]) =>
      !assigned.has(name) && value !== false && value !== 'optional' && !(Array.isArray(value) && value.length === 0),
  );
  return stated.length === 0 ? {} : { settings: Object.fromEntries(stated) };
}

/** An object of a document, and the settings of it that the document states. */
export interface CommentedObject {
  readonly observed: Observed;
  readonly stated?: object | undefined;
}

/** The tool that made each, and settings that the document does not state: each once, with those that have it. */
export function commentsOn(objects: readonly CommentedObject[]): readonly string[] {
  const facts = objects.flatMap((one) => factsAbout(one).map((fact) => ({ fact, called: calledIn(one) })));
  return [...Map.groupBy(facts, ({ fact }) => fact)].flatMap(([fact, all]) => {
    const [first, ...others] = all;
    if (first === undefined || others.length < mostNamed) return all.map(({ called }) => `${called}: ${fact}`);
    return [`${first.called} and ${others.length} others: ${fact}`];
  });
}

const mostNamed = 3;

const calledIn = ({ observed: { name, id } }: CommentedObject): string =>
  name === '' || name === id ? id : `${name} (${id})`;

function factsAbout({ observed: { signs, condition }, stated = {} }: CommentedObject): readonly string[] {
  return [
    ...(signs.origin === undefined ? [] : [signs.origin.detail]),
    ...(condition.unlisted ?? []).map(
      ({ setting, reason }) => `its ${setting} could not be listed or stated: ${reason}`,
    ),
    ...(condition.unstated ?? [])
      .filter(({ statedBy = '' }) => !Object.hasOwn(stated, statedBy))
      .map(({ detail }) => detail),
    ...(condition.inexpressible ?? []).map(({ detail }) => detail),
  ];
}

/** Without the label that bears the object's name, and those that a document may not state. */
export function labelsOf({ attributes }: Observed, { nameLabel }: Dialect['holds']): Labels {
  if (!('labels' in attributes)) return {};
  return Object.fromEntries(
    Object.entries(attributes.labels)
      .filter(
        ([key, value]) => key !== nameLabel && /^(?!setpoint)(?!aws:).{1,128}$/su.test(key) && value.length <= 256,
      )
      .toSorted(([a], [b]) => compareText(a, b)),
  );
}

export const statedLabels = (labels: Labels): { readonly labels?: Labels } =>
  Object.keys(labels).length === 0 ? {} : { labels };
