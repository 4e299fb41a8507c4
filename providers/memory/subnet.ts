import { formatCidr, parseCidr } from '../../src/core/cidr.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Actuator, Call, Creation, Revision } from '../../src/ports/provider.ts';
import { done, failed, gone, singly } from './batch.ts';
import type { Client } from './client.ts';
import type { RouteTableRecord, SubnetRecord } from './cloud/records.ts';
import { retag, retagFor } from './labels.ts';
import { all, lookUp, pages } from './listings.ts';
import { markOf, markTags } from './marks.ts';
import { readBy } from './reading.ts';
import { sameIntent } from './same-intent.ts';
import { labelsOf, nameAndLabels, originOf } from './tags.ts';

/** Subnets. A block stands once in its network, so a creation may be sent again. */
export const subnetActuator = (client: Client): Actuator<'subnet'> => ({
  list: async function* (call) {
    const observe = observing(await all(client, call, 'ListRouteTables'));
    for await (const page of pages(client, call, 'ListSubnets')) yield page.map(observe);
  },
  read: readBy(client, 'ListSubnets', async (call) => {
    const tables = await lookUp(client, call, 'ListRouteTables');
    return tables.ok ? { ok: true, value: observing(tables.value) } : tables;
  }),
  create: (batch, call) => singly(batch, (creation) => create(client, call, creation)),
  update: async (batch, call) => {
    const tagged = await retag(
      client,
      call,
      batch.map(({ observed, changes, mark }) => retagFor(observed.id, changes, mark && markTags(mark))),
    );
    const routed = await singly(batch, (revision) => reroute(client, call, revision));
    return routed.map((result, index) => (result.ok ? (tagged[index] ?? result) : result));
  },
  delete: (batch, call) => singly(batch, async ({ id }) => gone(await client.send(call, 'DeleteSubnet', { id }))),
});

/** A subnet reaches the gateway when a table with a default route is its own. */
const observing =
  (tables: readonly RouteTableRecord[]) =>
  ({ id, network, cidr, zone, tags }: SubnetRecord): Observed<'subnet'> => {
    const internet = tables.some(({ gateway, subnets }) => gateway !== undefined && subnets.includes(id));
    const mark = markOf(tags);
    const origin = originOf(tags);
    return {
      kind: 'subnet',
      id,
      name: tags['Name'] ?? '',
      attributes: { network, cidr, zone, internet, labels: labelsOf(tags) },
      signs: { ...(mark && { mark }), ...(origin && { origin }) },
      condition: { state: 'ready' },
    };
  };

async function create(client: Client, call: Call, creation: Creation<'subnet'>): Promise<Result<Observed<'subnet'>>> {
  const { desired, mark } = creation;
  const { network, cidr, zone, internet } = desired.attributes;
  const tags = { ...nameAndLabels(desired), ...markTags(mark) };
  const made = await client.send(call, 'CreateSubnet', { network, cidr, ...(zone !== undefined && { zone }), tags });
  const subnet =
    !made.ok && made.failure.code === 'BlockTaken' ? await sentBefore(client, call, { creation, made }) : made;
  if (!subnet.ok) return subnet;
  if (internet !== true) return { ok: true, value: observing([])(subnet.value) };
  const route = await join(client, call, { network, subnet: subnet.value.id });
  return { ok: true, value: observing(route.ok ? [route.value] : [])(subnet.value) };
}

/** The subnet that an earlier sending of this very creation made, or the refusal that the block is taken. */
async function sentBefore(
  client: Client,
  call: Call,
  { creation: { desired, mark }, made }: { readonly creation: Creation<'subnet'>; readonly made: Result<never> },
): Promise<Result<SubnetRecord>> {
  const subnets = await lookUp(client, call, 'ListSubnets');
  if (!subnets.ok) return subnets;
  const { network, cidr } = desired.attributes;
  const block = parseCidr(cidr);
  const same = subnets.value.find(
    (subnet) =>
      subnet.network === network && block && subnet.cidr === formatCidr(block) && sameIntent(markOf(subnet.tags), mark),
  );
  return same ? { ok: true, value: same } : made;
}

interface Place {
  readonly network: string;
  readonly subnet: string;
}

/** Puts the subnet on the network's table that leads out; answers the table as it then stands. */
async function join(client: Client, call: Call, { network, subnet }: Place): Promise<Result<RouteTableRecord>> {
  const tables = await lookUp(client, call, 'ListRouteTables');
  if (!tables.ok) return tables;
  const own = tables.value.filter((table) => table.network === network);
  const leadingOut = own.find(({ gateway }) => gateway !== undefined);
  if (!leadingOut) return failed({ kind: 'conflict', code: 'NoRoute', message: `${network} has no way out yet` });
  const other = own.find(({ id, subnets }) => id !== leadingOut.id && subnets.includes(subnet));
  if (other) await client.send(call, 'DisassociateRouteTable', { id: other.id, subnet });
  const answer = await client.send(call, 'AssociateRouteTable', { id: leadingOut.id, subnet });
  return answer.ok ? { ok: true, value: { ...leadingOut, subnets: [...leadingOut.subnets, subnet] } } : answer;
}

async function leave(client: Client, call: Call, { network, subnet }: Place): Promise<Result<void>> {
  const tables = await lookUp(client, call, 'ListRouteTables');
  if (!tables.ok) return tables;
  const own = tables.value.find((table) => table.network === network && table.subnets.includes(subnet));
  return own ? gone(await client.send(call, 'DisassociateRouteTable', { id: own.id, subnet })) : done;
}

async function reroute(client: Client, call: Call, { observed, changes }: Revision<'subnet'>): Promise<Result<void>> {
  const change = changes.find(({ field }) => field === 'internet');
  if (!change) return done;
  const place = { network: observed.attributes.network, subnet: observed.id };
  if (change.to !== true) return leave(client, call, place);
  const joined = await join(client, call, place);
  return joined.ok ? done : joined;
}
