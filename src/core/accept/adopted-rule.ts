import { groupRef } from '../compile/rule.ts';
import type { Site } from '../compile/site.ts';
import type { FirewallRuleDoc } from '../documents/document.ts';
import type { DocumentEdit, EditValue } from '../documents/document-edit.ts';
import { type Located, type Path, plainValue, treeAt } from '../documents/tree.ts';
import { machinesOf, type ServiceFields, type SideItem, servicesOf, sideItem } from '../import/adopted-rules.ts';
import { isAccount } from '../kinds/rules.ts';
import { coversPorts, formatPort, mergePorts, type PortRange, parsePorts } from '../port-set.ts';
import type { CloudId, Ref, RuleAttributes } from '../resource.ts';
import { editValueOf, type FieldEdits, looseText, refuse, valueEdit, valueEdits } from './value-edits.ts';

/** A rule that stands for one object of its cloud. */
export interface AdoptedRule {
  readonly document: Located<FirewallRuleDoc>;
  readonly site: Site;
  readonly id: CloudId;
  readonly wanted: RuleAttributes;
  readonly observed: RuleAttributes;
}

/**
 * The edits by which the document of an adopted rule states the traffic that its cloud has.
 *
 *   attribute        | edit
 *   -----------------+----------------------------------------------------------------------------
 *   action           | `action`
 *   protocol, ports  | `protocol` and entries of `ports`; entries of `protocols`, and the ports of each;
 *                    | for several protocols `protocols` instead of `protocol`
 *   peers            | entries of the lists in `peers`
 *   targets          | entries of the lists in `appliesTo`; `group` for one group
 *   any, if the      | none: the two sides of the rule have changed places
 *   direction changed|
 */
export function trafficEdits(attribute: string, rule: AdoptedRule): FieldEdits {
  const { document, id, wanted, observed } = rule;
  if (observed.match.direction !== wanted.match.direction)
    return refuse(document, ['spec', 'direction'], {
      refused: `the direction of the rule was changed: it is ${observed.match.direction} on the cloud`,
      next: `Remove the document, and write a new one for the rule: setpoint import --id ${id}`,
    });
  switch (attribute) {
    case 'action':
      return valueEdits(document, ['spec', 'action'], observed.match.action);
    case 'peers':
      return peerEdits(rule);
    case 'targets':
      return machineEdits(rule);
    default:
      return serviceEdits(rule);
  }
}

/** An entry of a list on one side of a rule, or all of them. */
interface Item {
  readonly list: SideItem['list'] | 'network';
  readonly text: string;
}

/** The place where a document states it. */
interface Stated {
  readonly path: Path;
  readonly item: Item;
}

function peerEdits(rule: AdoptedRule): FieldEdits {
  const { document, observed } = rule;
  const { peers } = document.value.spec;
  const base = ['spec', 'peers'];
  const stated = [
    ...statedIn(base, peers),
    ...(peers.any ? [{ path: [...base, 'any'], item: { list: 'any', text: 'any' } } as const] : []),
  ];
  return sideEdits(rule, observed.match.peers, (items) => listsEdits(document, base, stated, items));
}

function machineEdits(rule: AdoptedRule): FieldEdits {
  const { document, site, observed } = rule;
  const { appliesTo, network } = document.value.spec;
  const base = ['spec', 'appliesTo'];
  return sideEdits(rule, observed.match.targets ?? [], (items) => {
    if (appliesTo === undefined) return formEdits(document, items);
    const blocks = appliesTo.subnets.map((subnet) => site.blocks.get(`${network}.${subnet}`) ?? '');
    const stated = [
      ...statedIn(base, appliesTo),
      ...blocks.map((text, index) => ({ path: [...base, 'subnets', index], item: { list: 'cidrs', text } }) as const),
      ...(appliesTo.network ? [{ path: [...base, 'network'], item: everyMachine }] : []),
    ];
    return listsEdits(document, base, stated, items.length === 0 ? [everyMachine] : items);
  });
}

/** `group` or `appliesTo`, whichever names these machines. */
function formEdits(document: Located<FirewallRuleDoc>, items: readonly SideItem[]): readonly DocumentEdit[] {
  const fields = Object.entries(machinesOf(items));
  return [
    ...fields.flatMap(([field, value]) => valueEdit(document, ['spec', field], editValueOf(value))),
    ...(fields.some(([field]) => field === 'group') ? [] : valueEdit(document, ['spec', 'group'], undefined)),
  ];
}

const everyMachine = { list: 'network', text: 'network' } as const;

const sideLists = ['cidrs', 'groups', 'serviceTags', 'serviceAccounts'] as const;

const statedIn = (
  base: Path,
  lists: Readonly<Record<(typeof sideLists)[number], readonly string[]>>,
): readonly Stated[] =>
  sideLists.flatMap((list) =>
    lists[list].map((text, index) => ({ path: [...base, list, index], item: { list, text } })),
  );

/** The observed side as entries of documents, or the reason that no document says it. */
function sideEdits(
  { document, site }: AdoptedRule,
  observed: readonly string[],
  edits: (items: readonly SideItem[]) => readonly DocumentEdit[],
): FieldEdits {
  const { network = '' } = document.value.spec;
  const { peers, appliesTo } = document.value.spec;
  const listed = new Set([...peers.serviceAccounts, ...(appliesTo?.serviceAccounts ?? [])]);
  const items = observed.map((one): SideItem => {
    const item = sideItem(one, (ref) => inNetwork(groupNamed(ref, network, site), network));
    // why: a service account may be a group of the documents, and stand in a list of accounts too
    const name = isAccount(one) && !listed.has(item.text) ? groupNamed(one, network, site) : undefined;
    return name === undefined ? item : { list: 'groups', text: name, group: { network } };
  });
  const strange = items.find(({ group }) => group !== undefined && group.network === '');
  if (strange === undefined) return { edits: edits(items) };
  return refuse(document, ['spec'], {
    refused: `it names ${strange.text}, which is no group ${network === '' ? 'of a network' : `of the network ${network}`} in these specs`,
    next: `Name it first: an entry with \`adopt\` under \`groups\` of the network, or setpoint import.`,
  });
}

const inNetwork = (name: string | undefined, network: string) => (name === undefined ? undefined : { network, name });

/** The name of the group of a network that a Ref leads to. */
export function groupNamed(ref: Ref, network: string, site: Site): string | undefined {
  if (network === '') return undefined;
  const own = `${network}.`;
  const stated = [...site.groupNames.keys()].flatMap((key) => (key.startsWith(own) ? [key.slice(own.length)] : []));
  const prefix = groupRef(network, '', site);
  const names = [...stated, ...(ref.startsWith(prefix) ? [ref.slice(prefix.length)] : [])];
  return names.find((name) => groupRef(network, name, site) === ref);
}

/** Entries that are gone go, and new ones come at the end of their lists. */
function listsEdits(
  document: Located<FirewallRuleDoc>,
  base: Path,
  stated: readonly Stated[],
  wanted: readonly Item[],
): readonly DocumentEdit[] {
  const [had, has] = [new Set(stated.map(({ item }) => keyOf(item))), new Set(wanted.map(keyOf))];
  const added = Map.groupBy(
    wanted.filter((item) => !had.has(keyOf(item))),
    ({ list }) => list,
  );
  return [
    ...[...added].flatMap(([list, items]) => {
      const texts = items.map(({ text }) => text);
      return list === 'any' || list === 'network'
        ? valueEdit(document, [...base, list], true)
        : appended(document, [...base, list], texts);
    }),
    ...stated.flatMap(({ path, item }) => (has.has(keyOf(item)) ? [] : valueEdit(document, path, undefined))),
  ];
}

const keyOf = ({ list, text }: Item): string => `${list} ${looseText(text)}`;

/** Entries at the end of a list, or a list of them where none is written. */
function appended(document: Located<unknown>, path: Path, values: readonly EditValue[]): readonly DocumentEdit[] {
  if (values.length === 0) return [];
  if (!document.wrote(path)) return [{ op: 'set', at: document.at(path), path, value: values }];
  return values.map((value) => ({ op: 'append', at: document.at(path), path, value }));
}

function serviceEdits({ document, observed: { match } }: AdoptedRule): FieldEdits {
  const services = servicesOf(match);
  const { protocol, protocols } = document.value.spec;
  if (services === undefined)
    return refuse(document, ['spec'], {
      refused: `it names source ports, which no document states: ${match.ports}`,
      next: 'Remove the source ports on the cloud, or apply, so that Setpoint does.',
    });
  if (protocols !== undefined)
    return {
      edits: protocolsEdits(
        document,
        protocols.map((one) => String(one.protocol)),
        services,
      ),
    };
  const [service, ...more] = services;
  if (service === undefined || more.length > 0)
    return {
      edits: [
        ...valueEdit(document, ['spec', 'protocols'], editValueOf(services)),
        ...['protocol', 'ports', 'icmp'].flatMap((field) => valueEdit(document, ['spec', field], undefined)),
      ],
    };
  const isSame = String(service.protocol) === String(protocol);
  return {
    edits: [
      ...(isSame ? [] : valueEdit(document, ['spec', 'protocol'], service.protocol)),
      ...portEdits(document, ['spec', 'ports'], service),
    ],
  };
}

function protocolsEdits(
  document: Located<FirewallRuleDoc>,
  stated: readonly string[],
  services: readonly ServiceFields[],
): readonly DocumentEdit[] {
  const path = ['spec', 'protocols'];
  const named = services.map((service) => ({ service, index: stated.indexOf(String(service.protocol)) }));
  const added = named.flatMap(({ service, index }) => (index < 0 ? (editValueOf(service) ?? []) : []));
  return [
    ...named.flatMap(({ service, index }) =>
      index < 0 ? [] : portEdits(document, [...path, index, 'ports'], service),
    ),
    ...appended(document, path, added),
    ...stated.flatMap((_, index) =>
      named.some((one) => one.index === index) ? [] : valueEdit(document, [...path, index], undefined),
    ),
  ];
}

/** Entries that together are an observed range stay; others go, and the ranges that are left come at the end. */
function portEdits(document: Located<unknown>, path: Path, { ports }: ServiceFields): readonly DocumentEdit[] {
  if (ports === undefined) return valueEdit(document, path, undefined);
  const list = treeAt(document.tree, path);
  const entries = (list?.kind === 'list' ? list.items : []).map((item): readonly PortRange[] => {
    const text = plainValue(item);
    return parsePorts([String(text)]) ?? [];
  });
  const ranges = parsePorts(ports) ?? [];
  const within = (range: PortRange): readonly number[] =>
    [...entries.keys()].filter((index) => coversPorts([range], entries[index] ?? []));
  const whole = ranges.filter((range) =>
    coversPorts(mergePorts(within(range).flatMap((index) => entries[index] ?? [])), [range]),
  );
  const kept = new Set(whole.flatMap(within));
  const added = ranges.filter((range) => !whole.includes(range)).map(formatPort);
  return [
    ...appended(
      document,
      path,
      added.map((text) => (text.includes('-') ? text : Number(text))),
    ),
    ...entries.flatMap((_, index) => (kept.has(index) ? [] : valueEdit(document, [...path, index], undefined))),
  ];
}
