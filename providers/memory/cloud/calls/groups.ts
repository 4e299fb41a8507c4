import { type Listing, type Page, pageOf, type View } from '../listing.ts';
import type { GroupRecord } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { must, type World } from '../world.ts';

/** Names are unique in their network, so a repeated creation finds `DuplicateName`. */
export const groupCalls = {
  ListGroups: ({ tables }: World, input: Listing, view: View): Page<GroupRecord> => pageOf(tables.groups, input, view),
  CreateGroup: (world: World, input: Omit<GroupRecord, 'id' | 'isDefault'>): GroupRecord => {
    must(world.tables.networks, input.network);
    const rival = world.tables.groups.all().find((g) => g.network === input.network && g.name === input.name);
    if (rival) throw new Refusal('DuplicateName', `${input.network} has a group ${input.name}: ${rival.id}`);
    return makeGroup(world, { ...input, isDefault: false });
  },
  DeleteGroup,
};

/** A group is born with one rule: everything may leave. */
export function makeGroup({ tables, nextId }: World, asked: Omit<GroupRecord, 'id'>): GroupRecord {
  const group = { id: nextId('grp'), ...asked };
  tables.groups.put(group);
  const match = { direction: 'egress', protocol: 'all', from: -1, to: -1, peer: '0.0.0.0/0' } as const;
  tables.rules.put({ id: nextId('rul'), group: group.id, match, description: '' });
  return group;
}

function DeleteGroup({ tables }: World, { id }: { readonly id: string }): void {
  if (must(tables.groups, id).isDefault) throw new Refusal('Denied', `${id} is the default group of its network`);
  const machine = tables.instances.all().find(({ groups, power }) => groups.includes(id) && power.sent !== 'terminate');
  if (machine) throw new Refusal('InUse', `${machine.id} is in ${id}`);
  const rules = tables.rules.all();
  const naming = rules.find(({ group, match }) => group !== id && match.peer === `group:${id}`);
  if (naming) throw new Refusal('InUse', `${naming.id} of ${naming.group} names ${id}`);
  for (const rule of rules.filter(({ group }) => group === id)) tables.rules.drop(rule.id);
  tables.groups.drop(id);
}
