import { type Listing, type Page, pageOf, type View } from '../listing.ts';
import type { Disk, Hardware, InstanceRecord } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { must, type World } from '../world.ts';
import { type InstanceState, stateOf } from './instance-state.ts';

export type InstanceView = InstanceRecord & { readonly state: InstanceState };

/** Calls on several machines do all of them or none. */
export const instanceCalls = {
  /** Dead machines stay listed for an hour. */
  ListInstances: ({ tables, now }: World, input: Listing, view: View): Page<InstanceView> => {
    const page = pageOf(tables.instances, input, view);
    const items = page.items.map((record) => ({ ...record, state: stateOf(record.power, now()) }));
    return { ...page, items: items.filter(({ state }) => state !== 'forgotten') };
  },
  /** True if an image or a size is available. */
  ListOffers: ({ withdrawn }: World, { name }: { readonly what: 'image' | 'size'; readonly name: string }): boolean =>
    !withdrawn.has(name),
  RunInstances,
  TerminateInstances: (world: World, { ids }: Ids): void => {
    for (const record of each(world, ids)) if (record.power.sent !== 'terminate') send(world, record, 'terminate');
  },
  StopInstances: (world: World, { ids }: Ids): void => {
    for (const record of each(world, ids, ['running', 'stopping', 'stopped']))
      if (record.power.sent !== 'stop') send(world, record, 'stop');
  },
  StartInstances: (world: World, { ids }: Ids): void => {
    for (const record of each(world, ids, ['stopped', 'pending', 'running']))
      if (record.power.sent !== 'run') send(world, record, 'run');
  },
  ResizeInstance: (world: World, { id, size }: { readonly id: string; readonly size: string }): void =>
    rebuild(world, alive(world, id, ['stopped']), { size }),
  SetIdentity: (world: World, { id, identity }: { readonly id: string; readonly identity?: string }): void => {
    const record = alive(world, id);
    const { identity: _, ...hardware } = record.hardware;
    const next = identity === undefined ? hardware : { ...hardware, identity };
    world.tables.instances.put({ ...record, hardware: next });
  },
  ModifyDisk: (world: World, { id, ...disk }: { readonly id: string } & Partial<Disk>): void => {
    const record = alive(world, id);
    const old = record.hardware.disk;
    if (disk.size !== undefined && disk.size < old.size)
      throw new Refusal('InvalidValue', `the disk of ${id} cannot shrink`);
    rebuild(world, record, { disk: { ...old, ...disk } });
  },
  SetInstanceGroups: (
    world: World,
    { id, groups }: { readonly id: string; readonly groups: readonly string[] },
  ): void => {
    const record = alive(world, id);
    world.tables.instances.put({ ...record, groups: checkedGroups(world, groups, record.place.network) });
  },
};

interface Ids {
  readonly ids: readonly string[];
}

/** `token`: the same again answers the same machines, alive or not; with other words it is refused. */
export interface Run {
  readonly token: string;
  readonly count: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly where: { readonly subnet: string; readonly publicIp: boolean; readonly groups: readonly string[] };
  readonly hardware: Omit<Hardware, 'disk'> & { readonly disk: Partial<Disk> };
  readonly userData?: string;
}

function RunInstances(world: World, run: Run): readonly InstanceView[] {
  const { tables, launches, nextId, now } = world;
  const asked = JSON.stringify(run);
  const known = launches.get(run.token);
  if (known && known.asked !== asked) throw new Refusal('TokenReused', `${run.token} was used for another launch`);
  if (known)
    return known.ids
      .flatMap((id) => tables.instances.get(id) ?? [])
      .map((r) => ({ ...r, state: stateOf(r.power, now()) }));
  const { id: subnet, network, zone } = must(tables.subnets, run.where.subnet);
  const groups = checkedGroups(world, run.where.groups, network);
  const absent = [run.hardware.image, run.hardware.size].find((name) => world.withdrawn.has(name));
  if (absent !== undefined) throw new Refusal('NotFound', `there is no ${absent}`);
  const disk = { size: 8, type: 'ssd', encrypted: false, ...run.hardware.disk };
  const records = Array.from({ length: run.count }, (_, index) => ({
    id: nextId('ins'),
    tags: run.tags,
    launch: { token: run.token, index },
    place: { network, subnet, zone, publicIp: run.where.publicIp },
    groups,
    hardware: { ...run.hardware, disk },
    power: { sent: 'run', at: now() } as const,
  }));
  for (const record of records) tables.instances.put(record);
  launches.set(run.token, { asked, ids: records.map(({ id }) => id) });
  return records.map((record) => ({ ...record, state: 'pending' }));
}

/** None given: the network's default group. */
function checkedGroups({ tables }: World, groups: readonly string[], network: string): readonly string[] {
  for (const id of groups)
    if (must(tables.groups, id).network !== network) throw new Refusal('InvalidValue', `${id} is not in ${network}`);
  if (groups.length > 0) return groups;
  return tables.groups
    .all()
    .filter((g) => g.network === network && g.isDefault)
    .map(({ id }) => id);
}

/** All the machines, if they are all there and in one of these states. */
function each(
  { tables, now }: World,
  ids: readonly string[],
  allowed?: readonly InstanceState[],
): readonly InstanceRecord[] {
  return ids.map((id) => {
    const record = must(tables.instances, id);
    const state = stateOf(record.power, now());
    if (state === 'forgotten') throw new Refusal('NotFound', `there is no ${id}`);
    if (allowed && !allowed.includes(state)) throw new Refusal('WrongState', `${id} is ${state}`);
    return record;
  });
}

function alive(world: World, id: string, states: readonly InstanceState[] = LIVE): InstanceRecord {
  const [record] = each(world, [id], states);
  if (!record) throw new Refusal('NotFound', `there is no ${id}`);
  return record;
}

const LIVE: readonly InstanceState[] = ['pending', 'running', 'stopping', 'stopped'];

function rebuild(world: World, record: InstanceRecord, change: Partial<Hardware>): void {
  world.tables.instances.put({ ...record, hardware: { ...record.hardware, ...change } });
}

function send({ tables, now }: World, record: InstanceRecord, sent: InstanceRecord['power']['sent']): void {
  tables.instances.put({ ...record, power: { sent, at: now() } });
}
