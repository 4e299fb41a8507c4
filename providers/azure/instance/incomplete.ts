import type { Observed, Part } from '../../../src/core/observed.ts';
import { type CloudId, slotOf } from '../../../src/core/resource.ts';
import { canonicalId, partsOfId } from '../ids.ts';
import { readMark } from '../marks.ts';
import { idIn, prefixAt } from '../place.ts';
import type { Tags } from '../tags.ts';
import { type InstanceContext, partOf, reachOf } from './observe.ts';
import { isPartOfMachine, machineNamedBy, type PartName } from './parts.ts';

/** Something that is named and marked as part of a machine. `holder`: the machine that it hangs on. */
export interface NamedPart {
  readonly part: PartName;
  /** The machine that it is named after, by canonical id. */
  readonly machine: string;
  readonly thing: Thing;
  readonly holder: string | undefined;
}

interface Thing {
  readonly id?: string;
  readonly name?: string;
  readonly location?: string;
  readonly tags?: Tags;
  readonly guid: string | undefined;
}

/** All of those: a mark alone may be copied, but in our names' place stands only what we made, or what made room for nothing of ours. */
export function namedParts({
  nics,
  addresses,
  disks,
}: Pick<InstanceContext, 'nics' | 'addresses' | 'disks'>): readonly NamedPart[] {
  const holderOfNic = (id: string): string | undefined => nics.get(canonicalId(id))?.virtualMachine?.id;
  return [
    ...[...nics.values()].flatMap((nic) =>
      named('network-interface', { ...nic, guid: nic.resourceGuid }, nic.virtualMachine?.id),
    ),
    ...[...addresses.values()].flatMap((address) => {
      const holder = holderOfNic((address.ipConfiguration?.id ?? '').replace(/\/ipConfigurations\/.*$/i, ''));
      return named('public-address', { ...address, guid: address.resourceGuid }, holder);
    }),
    ...[...disks.values()].flatMap((disk) => named('disk', { ...disk, guid: disk.uniqueId }, disk.managedBy)),
  ];
}

function named(part: PartName, thing: Thing, holder: string | undefined): readonly NamedPart[] {
  const { id = '', name = '', tags } = thing;
  const machine = machineNamedBy(part, name);
  if (machine === undefined || !isPartOfMachine(readMark(tags), tags, part)) return [];
  return [{ part, machine: canonicalId(idIn(partsOfId(id), machineType, machine)), thing, holder }];
}

const machineType = 'Microsoft.Compute/virtualMachines';

/** Parts that hang on no machine, as the machine that they wait for, or have outlived. Its id bears no number: it has none. */
export function incompleteMachines(
  parts: readonly NamedPart[],
  context: InstanceContext,
): readonly Observed<'instance'>[] {
  const loose = parts.filter(({ holder }) => holder === undefined);
  return [...Map.groupBy(loose, ({ machine }) => machine)].flatMap(([id, some]) =>
    incompleteMachine(id, some, context),
  );
}

function incompleteMachine(
  id: CloudId,
  parts: readonly NamedPart[],
  context: InstanceContext,
): readonly Observed<'instance'>[] {
  const [first] = parts;
  const mark = readMark(first?.thing.tags);
  if (!first || !mark) return [];
  const { name } = partsOfId(id);
  const nic = parts.find(({ part }) => part === 'network-interface');
  const reach = reachOf(nic && context.nics.get(canonicalId(nic.thing.id ?? '')), context);
  const publicIp = parts.some(({ part }) => part === 'public-address');
  return [
    {
      kind: 'instance',
      id,
      name,
      attributes: {
        ...reach,
        placement: { ...reach.placement, publicIp },
        machine: { image: '', size: '', power: 'stopped' },
        labels: {},
      },
      signs: { mark, slot: slotOf(prefixAt(id, first.thing.location ?? ''), 'instance', name) },
      condition: { state: 'ready', parts: parts.map(asPart), missing: ['machine'] },
    },
  ];
}

export const asPart = ({ part, thing }: NamedPart): Part => partOf(part, thing.id, thing.guid);
