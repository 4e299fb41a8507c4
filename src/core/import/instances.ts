import type { Observed } from '../observed.ts';
import type { Attributes, Labels } from '../resource.ts';
import { orElse } from './names.ts';
import {
  commentsOn,
  givenNames,
  type ImportedDocument,
  type Inside,
  isKind,
  labelsOf,
  nameOf,
  noTarget,
  type ScopeImport,
  statedLabels,
  statedSettings,
  targetOf,
} from './scope-import.ts';
import { networkOf } from './selection.ts';

export function instanceDocuments(state: ScopeImport): readonly ImportedDocument[] {
  const machines = state.wanted.filter(isKind('instance')).flatMap((observed) => {
    const machine = namedMachine(observed, state);
    if (typeof machine !== 'string') return [machine];
    state.uncovered.set(observed.id, machine);
    return [];
  });
  return equalMachines(machines).map((together) => instanceDocument(together, state));
}

/** A machine by the names of documents. */
interface Machine {
  readonly observed: Observed<'instance'>;
  readonly target: string;
  readonly subnet: Inside;
  readonly groups: readonly string[];
  readonly labels: Labels;
  /** `web` and 3 of `web-3`, or of `aws_instance.web[3]`. */
  readonly stem: string;
  readonly ordinal: number | undefined;
  /** The same of its name on the cloud. */
  readonly named: { readonly stem: string; readonly ordinal: number | undefined };
}

/** The machine, or the reason that no document says it. */
function namedMachine(
  observed: Observed<'instance'>,
  { scope, objects, inside, tags, given }: ScopeImport,
): Machine | string {
  const { placement, groups = [] } = observed.attributes;
  const target = targetOf(observed, scope);
  if (target === undefined) return noTarget(observed, scope);
  const subnet = inside.get(placement.subnet);
  if (subnet === undefined)
    return `Its subnet ${placement.subnet === '' ? '' : `${placement.subnet} `}has no document.`;
  const network = networkOf(observed, objects);
  const members = groups.map((ref) => ({ ref, group: inside.get(ref) ?? tags.get(`${network} ${ref}`) }));
  const strange = members.find(({ group }) => group?.network !== subnet.network);
  if (strange?.ref.startsWith('tag:') === true)
    return `No group of ${subnet.network} stands for its network tag ${strange.ref.slice('tag:'.length)}.`;
  if (strange !== undefined) return `Its group ${strange.ref} has no document.`;
  const [, stem = observed.name, ordinal] = /^(.+)-(0|[1-9]\d{0,2})$/.exec(observed.name) ?? [];
  const named = { stem, ordinal: ordinal === undefined ? undefined : Number(ordinal) };
  const known = given.get(observed.id) ?? named;
  return {
    observed,
    target: target.name,
    subnet,
    groups: members
      .flatMap(({ group }) => (group === undefined || group.name === 'all' ? [] : [group.name]))
      .toSorted(),
    labels: labelsOf(observed, scope.dialect.holds),
    stem: known.stem,
    ordinal: known.ordinal,
    named,
  };
}

const mostReplicas = 1000;

/**
 * Machines that one document makes: equal in all that it states, and of one name but for the ordinal. Where a cloud keeps names
 * unique (they have a slot) the ordinals must be those that the document gives; elsewhere a name is a label.
 */
function equalMachines(machines: readonly Machine[]): readonly (readonly Machine[])[] {
  const alike = Map.groupBy(machines, (machine) => {
    const onCloud = machine.observed.signs.slot === undefined ? '' : machine.named.stem;
    return JSON.stringify([machine.stem, onCloud, machine.target, specOf(machine), machine.labels]);
  });
  return [...alike.values()].flatMap((same) => {
    const sorted = same.toSorted((a, b) => (a.ordinal ?? -1) - (b.ordinal ?? -1));
    const isExact = sorted.every(
      ({ observed, named }, index) => observed.signs.slot === undefined || named.ordinal === index,
    );
    if (!isExact) return sorted.map((machine) => [machine]);
    return Array.from({ length: Math.ceil(sorted.length / mostReplicas) }, (_, part) =>
      sorted.slice(part * mostReplicas, (part + 1) * mostReplicas),
    );
  });
}

/** All that a document states of a machine, in the order of its fields. */
function specOf({ observed, subnet, groups }: Machine): object {
  const { placement, machine, disk } = observed.attributes;
  return {
    network: subnet.network,
    subnet: subnet.name,
    ...(groups.length === 0 ? {} : { groups }),
    ...(machine.image ? { image: machine.image } : {}),
    size: machine.size,
    ...diskOf(disk),
    ...(machine.identity === undefined ? {} : { identity: machine.identity }),
    ...(placement.publicIp ? { publicIp: true } : {}),
    ...(machine.power === 'stopped' ? { power: 'stopped' } : {}),
    ...statedSettings(observed),
  };
}

function instanceDocument(machines: readonly Machine[], state: ScopeImport): ImportedDocument {
  const [first] = machines;
  if (first === undefined) throw new RangeError('a document without machines');
  const { observed, stem, subnet, groups, labels, target } = first;
  const { names, given } = state;
  const { settings: stated } = statedSettings(observed);
  const ids = machines.map((machine) => machine.observed.id);
  const isOne = ids.length === 1;
  // why: the document `web` makes the machine `web-0`
  const own = isOne
    ? orElse(nameOf(observed, state).replace(/-0$/, ''), observed.id)
    : orElse(stem, groups[0] ?? subnet.name);
  const name = names.Instance.take(isOne ? [own] : [own, ...givenNames(ids, given)]);
  return {
    kind: 'Instance',
    name,
    network: subnet.network,
    value: {
      apiVersion: 'setpoint.dev/v1',
      kind: 'Instance',
      metadata: { name, ...statedLabels(labels), adopt: { [target]: isOne ? observed.id : ids } },
      spec: {
        targets: [target],
        ...(isOne ? exactName(name, first, state) : { replicas: ids.length }),
        ...specOf(first),
      },
    },
    objects: ids,
    comments: commentsOn(machines.map((machine) => ({ observed: machine.observed, stated }))),
  };
}

/** The name of the machine on the cloud, where it is another one than the document gives its machine. */
function exactName(
  document: string,
  { observed: { name }, target }: Machine,
  { scope }: ScopeImport,
): { readonly names?: Readonly<Record<string, string>> } {
  const isSayable = /^[^\p{C}]{1,256}$/u.test(name);
  if (!isSayable || name === scope.dialect.names.objectName('instance', `${document}-0`)) return {};
  return { names: { [target]: name } };
}

function diskOf(disk: Attributes['instance']['disk']): { readonly disk?: object } {
  const known = Object.entries(disk ?? {}).filter(([, value]) => value !== undefined);
  return known.length === 0 ? {} : { disk: Object.fromEntries(known) };
}
