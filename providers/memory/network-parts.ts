import type { Result } from '../../src/core/failure.ts';
import type { Mark, Part } from '../../src/core/observed.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, gone, singly } from './batch.ts';
import type { Client } from './client.ts';
import type { GatewayRecord, NetworkRecord, RouteTableRecord } from './cloud/records.ts';
import { lookUp } from './listings.ts';
import { markOf, partOf, partTags } from './marks.ts';

/** The way out of one network. */
export interface Parts {
  /** Attached to it, or free and marked as its own. */
  readonly gateways: readonly GatewayRecord[];
  /** Marked as its own, or with a default route. */
  readonly routeTables: readonly RouteTableRecord[];
}

/** The parts of this network among all objects. */
export function partsOf({ id, tags }: Pick<NetworkRecord, 'id' | 'tags'>, everything: Parts): Parts {
  const mark = markOf(tags);
  return {
    gateways: everything.gateways.filter(
      ({ network, tags }) => network === id || (network === undefined && isPart(tags, mark)),
    ),
    routeTables: everything.routeTables.filter(
      ({ network, gateway, tags }) => network === id && (gateway !== undefined || partOf(tags) !== undefined),
    ),
  };
}

/** Judges the parts: complete or not, the existing ones and the missing ones. */
export function judgeParts({ gateways, routeTables }: Parts): {
  readonly internet: boolean | 'partial';
  readonly parts: readonly Part[];
  readonly missing: readonly string[];
} {
  const parts = [
    ...gateways.map(({ id }) => ({ part: 'gateway', id })),
    ...routeTables.map(({ id }) => ({ part: 'route-table', id })),
  ];
  if (parts.length === 0) return { internet: false, parts, missing: [] };
  const attached = gateways.some(({ network }) => network !== undefined);
  const missing = [
    ...(gateways.length === 0 ? ['gateway'] : []),
    ...(gateways.length > 0 && !attached ? ['gateway attachment'] : []),
    ...(gateways.length > 1 ? ['one gateway only'] : []),
    ...(routeTables.length === 0 ? ['route table'] : []),
    ...(routeTables.length > 0 && routeTables.every(({ gateway }) => gateway === undefined) ? ['default route'] : []),
  ];
  return { internet: missing.length === 0 ? true : 'partial', parts, missing };
}

/** A look at every part there is. */
export async function lookForParts(client: Client, call: Call): Promise<Result<Parts>> {
  const gateways = await lookUp(client, call, 'ListGateways');
  if (!gateways.ok) return gateways;
  const routeTables = await lookUp(client, call, 'ListRouteTables');
  return routeTables.ok
    ? { ok: true, value: { gateways: gateways.value, routeTables: routeTables.value } }
    : routeTables;
}

interface Way {
  readonly network: string;
  readonly mark: Mark;
  readonly parts: Parts;
}

/** The existing parts, and the failure that stopped the rest. */
interface Finished {
  readonly parts: Parts;
  readonly result: Result<void>;
}

/**
 * Makes what is missing and takes away a second gateway. May be repeated after any failure: a gateway that a lost answer
 * made twice is found and removed then.
 */
export async function finishParts(client: Client, call: Call, way: Way): Promise<Finished> {
  const { gateway, result: attached } = await attachedGateway(client, call, way);
  const spare = way.parts.gateways.filter(({ id, tags }) => id !== gateway?.id && partOf(tags) !== undefined);
  const existing = { gateways: gateway ? [gateway] : [], routeTables: way.parts.routeTables };
  if (!gateway || !attached.ok) return { parts: existing, result: attached };
  const cleared = await singly(spare, async ({ id }) => gone(await client.send(call, 'DeleteGateway', { id })));
  const known = way.parts.routeTables.find((table) => table.gateway === gateway.id) ?? way.parts.routeTables[0];
  const table = known ? { ok: true as const, value: known } : await makeRouteTable(client, call, way);
  if (!table.ok) return { parts: existing, result: table };
  const routed =
    table.value.gateway === gateway.id
      ? done
      : await client.send(call, 'CreateRoute', { id: table.value.id, gateway: gateway.id });
  const complete = routed.ok ? { ...table.value, gateway: gateway.id } : table.value;
  return { parts: { ...existing, routeTables: [complete] }, result: firstFailure([...cleared, routed]) };
}

async function attachedGateway(
  client: Client,
  call: Call,
  { network, mark, parts }: Way,
): Promise<{ readonly gateway?: GatewayRecord; readonly result: Result<void> }> {
  const attached = parts.gateways.find((gateway) => gateway.network === network);
  if (attached) return { gateway: attached, result: done };
  const free = parts.gateways[0];
  const made = free
    ? { ok: true as const, value: free }
    : await client.send(call, 'CreateGateway', { tags: partTags(mark, 'gateway') });
  if (!made.ok) return { result: made };
  const result = await client.send(call, 'AttachGateway', { id: made.value.id, network });
  return { gateway: result.ok ? { ...made.value, network } : made.value, result };
}

/** The token is the network's own, so that there is never a second table. */
const makeRouteTable = (client: Client, call: Call, { network, mark }: Way): Promise<Result<RouteTableRecord>> =>
  client.send(call, 'CreateRouteTable', {
    token: `${network}/route-table`,
    network,
    tags: partTags(mark, 'route-table'),
  });

/** Takes the way out away. What bears no mark of ours is let go, not deleted. */
export async function removeParts(
  client: Client,
  call: Call,
  { network, parts }: { readonly network: string; readonly parts: Parts },
): Promise<Result<void>> {
  const gateways = await singly(parts.gateways, async ({ id, network: at, tags }) => {
    const detached = at === network ? gone(await client.send(call, 'DetachGateway', { id })) : done;
    if (!detached.ok || partOf(tags) === undefined) return detached;
    return gone(await client.send(call, 'DeleteGateway', { id }));
  });
  const own = parts.routeTables.filter(({ tags }) => partOf(tags) !== undefined);
  const tables = await singly(own, (table) => removeTable(client, call, table));
  return firstFailure([...gateways, ...tables]);
}

async function removeTable(client: Client, call: Call, { id, subnets }: RouteTableRecord): Promise<Result<void>> {
  const left = await singly(subnets, async (subnet) =>
    gone(await client.send(call, 'DisassociateRouteTable', { id, subnet })),
  );
  const stuck = left.find((result) => !result.ok);
  return stuck ?? gone(await client.send(call, 'DeleteRouteTable', { id }));
}

const firstFailure = (results: readonly Result<void>[]): Result<void> => results.find((result) => !result.ok) ?? done;

function isPart(tags: GatewayRecord['tags'], mark: Mark | undefined): boolean {
  const found = markOf(tags);
  return (
    partOf(tags) !== undefined &&
    mark?.address !== undefined &&
    found?.estate === mark.estate &&
    found.store === mark.store &&
    found.address === mark.address
  );
}
