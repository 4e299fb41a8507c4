import { containsCidr, overlapsCidr, parseCidr } from '../../../../src/core/cidr.ts';
import { type Listing, type Page, pageOf, type View } from '../listing.ts';
import type { SubnetRecord } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { must, type World } from '../world.ts';
import { canonicalBlock } from './networks.ts';

/** Blocks of one network never overlap, so a repeated creation finds `BlockTaken`. */
export const subnetCalls = {
  ListSubnets: ({ tables }: World, input: Listing, view: View): Page<SubnetRecord> =>
    pageOf(tables.subnets, input, view),
  CreateSubnet,
  DeleteSubnet,
  /** A subnet uses one table at most. */
  AssociateRouteTable: ({ tables }: World, { id, subnet }: { readonly id: string; readonly subnet: string }): void => {
    const table = must(tables.routeTables, id);
    if (must(tables.subnets, subnet).network !== table.network)
      throw new Refusal('InvalidValue', `${subnet} and ${id} stand in different networks`);
    const other = tables.routeTables.all().find((t) => t.id !== id && t.subnets.includes(subnet));
    if (other) throw new Refusal('WrongState', `${subnet} uses ${other.id}`);
    if (!table.subnets.includes(subnet)) tables.routeTables.put({ ...table, subnets: [...table.subnets, subnet] });
  },
  DisassociateRouteTable: (
    { tables }: World,
    { id, subnet }: { readonly id: string; readonly subnet: string },
  ): void => {
    const table = must(tables.routeTables, id);
    if (!table.subnets.includes(subnet)) throw new Refusal('NotFound', `${subnet} does not use ${id}`);
    tables.routeTables.put({ ...table, subnets: table.subnets.filter((used) => used !== subnet) });
  },
};

interface Asked {
  readonly network: string;
  readonly cidr: string;
  readonly zone?: string;
  readonly tags: Readonly<Record<string, string>>;
}

function CreateSubnet({ tables, nextId }: World, { network, cidr, zone = 'a', tags }: Asked): SubnetRecord {
  const block = canonicalBlock(cidr);
  if (!within(block, must(tables.networks, network).cidr, containsCidr))
    throw new Refusal('InvalidValue', `${block} lies outside ${network}`);
  const rival = tables.subnets.all().find((s) => s.network === network && within(s.cidr, block, overlapsCidr));
  if (rival) throw new Refusal('BlockTaken', `${block} overlaps ${rival.id}`);
  const subnet = { id: nextId('sub'), network, cidr: block, zone, tags };
  tables.subnets.put(subnet);
  return subnet;
}

function within(inner: string, outer: string, test: typeof containsCidr): boolean {
  const [a, b] = [parseCidr(inner), parseCidr(outer)];
  return a !== undefined && b !== undefined && test(b, a);
}

function DeleteSubnet({ tables }: World, { id }: { readonly id: string }): void {
  must(tables.subnets, id);
  const user = tables.instances.all().find(({ place, power }) => place.subnet === id && power.sent !== 'terminate');
  if (user) throw new Refusal('InUse', `${user.id} stands in ${id}`);
  for (const table of tables.routeTables.all().filter(({ subnets }) => subnets.includes(id)))
    tables.routeTables.put({ ...table, subnets: table.subnets.filter((used) => used !== id) });
  tables.subnets.drop(id);
}
