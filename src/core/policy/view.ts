import type { CompiledScope } from '../compile/compile.ts';
import type { Desired, DocumentRef } from '../desired.ts';
import type { Document, TargetDoc } from '../documents/document.ts';
import {
  accountOf,
  adoptedOn,
  declaredGroups,
  groupsIn,
  type SpecSet,
  specSet,
  statedName,
} from '../documents/spec-set.ts';
import type { Located } from '../documents/tree.ts';
import type { Row } from '../inventory/row.ts';
import { isAnyone } from '../kinds/rules.ts';
import { mergePorts, type PortRange, parsePorts } from '../port-set.ts';
import {
  type Address,
  type Attributes,
  type Cloud,
  type CloudId,
  isAddress,
  type Kind,
  nameIn,
  type Ref,
  type RuleAttributes,
} from '../resource.ts';
import { compareText } from '../text.ts';
import type { GivenImage } from './image.ts';

/** The fields that every resource has in an expression. */
interface CommonView {
  readonly kind: Kind;
  readonly address: string;
  /** `core`, `core.app`, `core.web-https`, `web-0`. */
  readonly name: string;
  readonly cloud: Cloud;
  /** The first of several targets. */
  readonly target: string;
  readonly account: string;
  readonly region: string;
  readonly owner?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A network, subnet, group or instance. Groups and subnets are named as documents name them: `core.web`. */
interface ObjectView extends CommonView {
  readonly network?: string;
  readonly cidr?: string;
  readonly zone?: string;
  readonly internet?: boolean;
  readonly description?: string;
  readonly image?: string;
  readonly size?: string;
  readonly power?: string;
  readonly identity?: string;
  readonly publicIp?: boolean;
  readonly subnet?: string;
  readonly groups?: readonly string[];
  readonly disk?: { readonly size?: number; readonly type?: string; readonly encrypted?: boolean };
  readonly settings?: Readonly<Record<string, unknown>>;
}

/**
 * One rule of a document on one target, for one protocol.
 *
 * - `ports`: ascending; 0 to 65535 where it says `all`. Of a protocol without ports none.
 * - `icmp`: `8/0`, `8/all` or `all`; absent of other protocols.
 * - `peers`: CIDRs, `group:core.web`, `prefix-list:<id>`, `service-tag:<name>`, `service-account:<email>`, `tag:<name>`; anyone is
 *   `0.0.0.0/0` and `::/0`.
 * - `appliesTo`: `group:core.web`, a CIDR, …; empty for every machine of the network.
 * - `priority`: absent on AWS, where rules have none.
 * - `networkDefault`: it is no document's, but the `default` of a network.
 */
export interface RuleView extends CommonView {
  readonly network: string;
  readonly direction: 'ingress' | 'egress';
  readonly action: 'allow' | 'deny';
  readonly protocol: string;
  readonly ports: readonly PortRange[];
  readonly icmp?: readonly string[];
  readonly peers: readonly string[];
  readonly appliesTo: readonly string[];
  readonly priority?: number;
  readonly disabled: boolean;
  readonly log: boolean;
  readonly description: string;
  readonly fromAnyone: boolean;
  readonly networkDefault: boolean;
}

/** A resource as expressions see it: documented in docs/policies.md, whatever our own attributes are. Plain data. */
export type ResourceView = ObjectView | RuleView;

/** A view, and the names of the resource's targets. */
export interface Viewed {
  readonly view: ResourceView;
  /** Of a machine. Absent where nobody reads the facts of images, as in `validate`. */
  readonly image?: GivenImage;
  readonly targets: readonly string[];
}

/** The view of a desired resource, with its document. */
export interface ViewedDocument extends Viewed {
  readonly document: DocumentRef;
}

/** Every desired resource of a scope as a view. Atoms of one rule are one view for each protocol. Pure, O(n). */
export function viewsOf(scope: CompiledScope, documents: readonly Located<Document>[]): readonly ViewedDocument[] {
  const place: Place = { scope, tags: tagsOf(scope.targets, documents) };
  const rules = new Map<string, DraftRule>();
  const others: ViewedDocument[] = [];
  for (const desired of scope.wanted.desired) {
    if (isOf(desired, 'firewall-rule')) addRule(desired, place, rules);
    else others.push(objectView(desired, place));
  }
  return [...others, ...[...rules.values()].map(ruleView)];
}

interface Place {
  readonly scope: CompiledScope;
  readonly tags: Tags;
}

/** Groups of Google Cloud, where they are names: `group:core.web` by `tag:core-web`. */
export type Tags = ReadonlyMap<string, string>;

function common(
  desired: Desired,
  document: DocumentRef,
  { scope }: Place,
): Omit<ViewedDocument, 'view'> & { view: CommonView } {
  const allowed = scope.wanted.documents.get(document.address);
  const targets = allowed?.targets ?? scope.wanted.targets;
  const target = scope.targets.find(({ metadata }) => targets.includes(metadata.name)) ?? scope.targets[0];
  if (target === undefined) throw new Error(`${scope.scope} has no target`);
  const { provider: cloud, account, region } = target.spec;
  const owner = document.owner ?? allowed?.owner;
  const { attributes, kind, address } = desired;
  const view = {
    ...{ kind, address, name: nameIn(address, kind), cloud, target: target.metadata.name, account, region },
    ...(owner === undefined ? {} : { owner }),
    labels: 'labels' in attributes ? attributes.labels : {},
  };
  return { view, document, targets };
}

function objectView(desired: Desired, place: Place): ViewedDocument {
  const document = desired.documents.find(({ address }) => address === desired.address) ?? desired.documents[0];
  if (document === undefined) throw new Error(`${desired.address} has no document`);
  const base = common(desired, document, place);
  return { ...base, view: { ...base.view, ...fieldsOf(desired, place.tags) } };
}

function fieldsOf(one: Pick<Desired, 'kind' | 'attributes'>, tags: Tags): Omit<ObjectView, keyof CommonView> {
  if (isOf(one, 'network')) {
    const { cidr, internet, settings } = one.attributes;
    return stated({ cidr, internet: wayOut(internet), settings: { ...settings } });
  }
  if (isOf(one, 'subnet')) {
    const { network, cidr, zone, internet, settings } = one.attributes;
    return stated({ network: short(network), cidr, zone, internet: wayOut(internet), settings: { ...settings } });
  }
  if (isOf(one, 'group')) {
    const { network, description } = one.attributes;
    return stated({ network: short(network), description });
  }
  return isOf(one, 'instance') ? instanceFields(one.attributes, tags) : {};
}

const isOf = <K extends Kind>(
  one: Pick<Desired, 'kind' | 'attributes'>,
  kind: K,
): one is { readonly kind: K; readonly attributes: Attributes[K] } => one.kind === kind;

const wayOut = (internet: boolean | 'partial' | undefined): boolean | undefined =>
  internet === undefined ? undefined : internet === true;

function instanceFields({ placement, groups, machine, disk, settings }: Attributes['instance'], tags: Tags) {
  const subnet = short(placement.subnet);
  return stated({
    ...machine,
    ...{ subnet, network: subnet.replace(/\..*$/, ''), zone: placement.zone, publicIp: placement.publicIp },
    groups: (groups ?? []).map((ref) => named(ref, tags).replace(/^group:/, '')).toSorted(compareText),
    disk: { ...disk },
    settings: { ...settings },
  });
}

const stated = <T extends object>(fields: T): T =>
  // why: a key that is present and undefined says the same as an absent one, which the type allows
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** A Ref by the end of its address: `core.web`. */
function short(ref: Ref): string {
  const kind = (['network', 'subnet', 'group'] as const).find((one) => ref.includes(`/${one}/`));
  return kind === undefined ? ref : nameIn(ref, kind);
}

const named = (text: string, tags: Tags): string => {
  const bare = text.replace(/^(?:group|range):/, '');
  if (bare.includes('/group/')) return `group:${short(bare)}`;
  return tags.get(bare) ?? (text.startsWith('range:') ? bare : text);
};

/** An object that stands on a cloud. `document`: the address of its document, where it has one. */
export interface StandingObject extends Pick<CommonView, 'kind' | 'cloud' | 'account' | 'region' | 'name' | 'owner'> {
  readonly id: CloudId;
  /** Present if it is ours. */
  readonly address?: Address;
  readonly document?: Address;
  readonly targets: readonly string[];
  readonly attributes: Attributes[Kind];
}

/**
 * An object that stands on a cloud as a view: ours, or nobody's. A rule is one view for each protocol; it has the address of its
 * document, and what nobody claims has its id in place of an address.
 */
export function viewsOfObject(
  { id, address = id, document = address, targets, attributes, owner, ...place }: StandingObject,
  tags: Tags,
): readonly Viewed[] {
  const one = { kind: place.kind, attributes };
  const labels = 'labels' in attributes ? attributes.labels : {};
  const base: CommonView = {
    ...{ ...place, address, target: targets[0] ?? '', labels },
    ...(owner === undefined ? {} : { owner }),
  };
  if (!isOf(one, 'firewall-rule')) return [{ view: { ...base, ...fieldsOf(one, tags) }, targets }];
  const networkDefault = document.includes('/network/');
  const named = nameIn(document, networkDefault ? 'network' : 'firewall-rule');
  const view = { ...base, address: document, name: document === id ? base.name : named };
  return servicesOf(one.attributes.match).map(({ protocol, ports }) => ({
    view: ruleFields({ view, atom: one.attributes, protocol, networkDefault, ...sidesOf(one.attributes, tags) }, [
      ports,
    ]),
    targets,
  }));
}

/** Empty where the row has no object that stands. `regionOf`: of a target; an object's own place may be a zone, or nothing. */
export function viewsOfRow(
  { place, called, whose, sides: { observed } }: Row,
  tags: Tags,
  regionOf: (target: string) => string | undefined = () => undefined,
): readonly Viewed[] {
  if (observed === undefined || observed.state === 'gone' || observed.state === 'deleting') return [];
  const { kind, cloud, account, targets } = place;
  const region = regionOf(targets[0] ?? '') ?? place.region;
  const [document] = whose.documents;
  return viewsOfObject(
    {
      ...{ kind, cloud, account, region, targets, name: called.name, id: called.id ?? '' },
      ...(called.address === undefined ? {} : { address: called.address }),
      ...(document === undefined ? {} : { document: document.address }),
      ...(whose.owner === undefined ? {} : { owner: whose.owner }),
      attributes: observed.attributes,
    },
    tags,
  );
}

interface DraftRule extends Omit<ViewedDocument, 'view'> {
  readonly view: CommonView;
  readonly atom: RuleAttributes;
  readonly protocol: string;
  readonly networkDefault: boolean;
  readonly ports: string[];
  readonly peers: Set<string>;
  readonly sides: Set<string>;
}

/** The atoms that one document becomes are the product of its sides, ports and peers: joined they are the rule again. */
function addRule(desired: Desired<'firewall-rule'>, place: Place, rules: Map<string, DraftRule>): void {
  const { attributes, terms, documents } = desired;
  if (terms.presence === 'tolerated') return;
  const { match } = attributes;
  const { peers, sides } = sidesOf(attributes, place.tags);
  for (const document of documents) {
    for (const { protocol, ports } of servicesOf(match)) {
      const key = JSON.stringify([document.address, protocol, match.direction, match.action]);
      const draft = rules.get(key) ?? draftOf(desired, { document, protocol }, place);
      rules.set(key, draft);
      draft.ports.push(ports);
      for (const peer of peers) draft.peers.add(peer);
      for (const side of sides) draft.sides.add(side);
    }
  }
}

/** The peers and the holders of the rule, by the names of the documents. */
function sidesOf({ match, group }: RuleAttributes, tags: Tags) {
  const holders = group === undefined ? (match.targets ?? []) : [isAddress(group) ? group : `group:${group}`];
  return {
    peers: new Set(match.peers.flatMap(spelled).map((peer) => named(peer, tags))),
    sides: new Set(holders.map((side) => named(side, tags))),
  };
}

/** As its document is called: an atom has a longer address. */
function draftOf(
  desired: Desired<'firewall-rule'>,
  { document, protocol }: Pick<DraftRule, 'document' | 'protocol'>,
  place: Place,
): DraftRule {
  const networkDefault = !document.address.includes('/firewall-rule/');
  const base = common(desired, document, place);
  const name = nameIn(document.address, networkDefault ? 'network' : 'firewall-rule');
  return {
    ...{ ...base, view: { ...base.view, address: document.address, name } },
    ...{ atom: desired.attributes, protocol, networkDefault, ports: [], peers: new Set(), sides: new Set() },
  };
}

/** An adopted firewall may hold several: `tcp,udp` with `tcp:22;udp:53`. */
const servicesOf = ({ protocol, ports }: RuleAttributes['match']): readonly { protocol: string; ports: string }[] =>
  protocol.includes(',')
    ? ports.split(';').map((text) => {
        const [one = '', some = 'all'] = text.split(':');
        return { protocol: one, ports: some };
      })
    : [{ protocol, ports }];

const spelled = (peer: string): readonly string[] => (peer === 'any' ? ['0.0.0.0/0', '::/0'] : [peer]);

const ruleView = ({ document, targets, ports, ...draft }: DraftRule): ViewedDocument => ({
  ...{ document, targets },
  view: ruleFields(draft, ports),
});

function ruleFields(
  { view, atom, protocol, networkDefault, peers, sides }: Omit<DraftRule, 'document' | 'targets' | 'ports'>,
  given: readonly string[],
): RuleView {
  const { direction, action } = atom.match;
  const ports = given.flatMap((text) => text.split(','));
  const isIcmp = protocol.startsWith('icmp');
  const { priority, disabled = false, log = false } = atom.order ?? {};
  const sorted = [...peers].toSorted(compareText);
  return {
    ...view,
    ...{ network: short(atom.network), direction, action, protocol },
    ports: withPorts.has(protocol) ? rangesOf(ports) : [],
    ...(isIcmp ? { icmp: [...new Set(ports)].toSorted(compareText) } : {}),
    ...{ peers: sorted, appliesTo: [...sides].toSorted(compareText) },
    ...(priority === undefined ? {} : { priority }),
    ...{ disabled, log, description: atom.description },
    ...{ fromAnyone: direction === 'ingress' && sorted.some(isAnyone), networkDefault },
  };
}

/** TCP, UDP and SCTP by name or number, and everything: https://www.iana.org/assignments/protocol-numbers */
export const withPorts: ReadonlySet<string> = new Set(['all', 'tcp', 'udp', 'sctp', '6', '17', '132']);

const allPorts: readonly PortRange[] = [{ from: 0, to: 65535 }];

const rangesOf = (texts: readonly string[]): readonly PortRange[] =>
  texts.includes('all') ? allPorts : mergePorts(parsePorts(texts) ?? []);

/** Groups by the network tags that they are on Google Cloud. A service account keeps its own name. */
export function tagsOf(targets: readonly TargetDoc[], documents: readonly Located<Document>[]): Tags {
  const target = targets[0];
  if (target?.spec.provider !== 'gcp') return new Map();
  const set = specSet(documents, []);
  const all = [...set.networks.keys()].map((network) => ({ network, name: 'all' }));
  return new Map(
    [...all, ...groupsIn(set), ...declaredGroups(set)].flatMap((group) =>
      targets.flatMap((one) => {
        const tag = tagOf(set, group, one);
        return tag === undefined ? [] : [[`tag:${tag}`, `group:${group.network}.${group.name}`] as const];
      }),
    ),
  );
}

function tagOf(
  set: SpecSet,
  { network, name }: { readonly network: string; readonly name: string },
  target: TargetDoc,
): string | undefined {
  if (accountOf(set, { network, name }, target) !== undefined) return undefined;
  const stated = statedName(set, { network, name, target: target.metadata.name });
  return adoptedOn(set, { network, name }, target) ?? stated ?? `${network}-${name}`;
}

/** True where the rule lets traffic to this port in or out. A rule that denies, or is disabled, opens nothing. */
export function opens(
  rule: Pick<RuleView, 'action' | 'disabled' | 'protocol' | 'ports'>,
  port: number,
  protocol?: string,
): boolean {
  if (rule.action !== 'allow' || rule.disabled) return false;
  if (protocol !== undefined && rule.protocol !== 'all' && rule.protocol !== protocol) return false;
  return rule.ports.some(({ from, to }) => from <= port && port <= to);
}
