import { addressNumber, parseCidr } from '../cidr.ts';
import { JsonProblem, listOf, optional, type Reader, scalar } from '../json.ts';
import { fields, readOnly } from './body.ts';
import { refused } from './errors.ts';
import type { Kind } from './kind.ts';
import type { Route, RouteTable } from './records.ts';
import { subnetsNaming } from './references.ts';
import { checkedName, childPath, keyOf, nameOf } from './resource-id.ts';
import { tagsBody } from './tags.ts';

export const routeTableKind: Kind<RouteTable> = {
  table: ({ subscription }) => subscription.routeTables,
  type: 'Microsoft.Network/routeTables',
  renderer:
    ({ subscription }) =>
    (table) => {
      const subnets = subnetsNaming(subscription, 'routeTable', table.id);
      return {
        name: nameOf(table.path),
        id: table.path,
        etag: table.version.etag,
        type: routeTableKind.type,
        location: table.location,
        ...tagsBody(table.tags),
        properties: {
          provisioningState: table.version.state,
          resourceGuid: table.guid,
          disableBgpRoutePropagation: table.disableBgpRoutePropagation,
          routes: table.routes.map((route) => routeBody(table, route)),
          ...(subnets.length > 0 ? { subnets: subnets.map((id) => ({ id })) } : {}),
        },
      };
    },
};

/** https://learn.microsoft.com/rest/api/virtualnetwork/routes/create-or-update#routenexthoptype */
const HOP_TYPES = [
  'VirtualNetworkGateway',
  'VnetLocal',
  'Internet',
  'VirtualAppliance',
  'VirtualApplianceEcmp',
  'None',
] as const;

/** In any case; kept as it was written, as ARM keeps enumerations of rules. */
const hopType: Reader<string> = (value, path) => {
  const known = typeof value === 'string' && HOP_TYPES.some((type) => is(value, type));
  if (!known) throw new JsonProblem(`Error converting value ${JSON.stringify(value)} to a next hop. Path '${path}'.`);
  return value;
};

const is = (written: string, type: (typeof HOP_TYPES)[number]): boolean => written.toLowerCase() === type.toLowerCase();

const text = optional(scalar('string'));

export const routeForm = fields({
  name: text,
  properties: fields({
    addressPrefix: scalar('string'),
    nextHopType: hopType,
    nextHopIpAddress: text,
    nextHop: optional(fields({ nextHopIpAddresses: listOf(scalar('string')) })),
    hasBgpOverride: readOnly,
    provisioningState: readOnly,
  }),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

export type RouteForm = ReturnType<typeof routeForm>;

/** One route of a table, checked by itself. It keeps the case of a route of the same name. */
export function readRoute(table: Pick<RouteTable, 'path' | 'routes'>, name: string, { properties }: RouteForm): Route {
  const written = childPath(table, 'routes', checkedName(name));
  const path = table.routes.find(({ id }) => id === keyOf(written))?.path ?? written;
  const { addressPrefix, nextHopType, nextHop } = properties;
  const nextHopIpAddress = properties.nextHopIpAddress || undefined;
  if (destinationOf(addressPrefix) === undefined)
    throw refused(
      'InvalidAddressPrefixFormat',
      `Address prefix ${addressPrefix} of resource ${path} is not formatted correctly. It should follow CIDR notation, for example 10.0.0.0/24.`,
      { details: [] },
    );
  checkHop(path, { type: nextHopType, address: nextHopIpAddress, addresses: nextHop?.nextHopIpAddresses });
  return {
    id: keyOf(path),
    path,
    addressPrefix,
    nextHopType,
    nextHopIpAddress,
    nextHopIpAddresses: nextHop?.nextHopIpAddresses,
  };
}

interface Hop {
  readonly type: string;
  readonly address: string | undefined;
  readonly addresses: readonly string[] | undefined;
}

/**
 * An address is for an appliance only, and it needs one: https://learn.microsoft.com/rest/api/virtualnetwork/routes/create-or-update#route.
 * The codes are assumptions.
 */
function checkHop(path: string, { type, address, addresses }: Hop): void {
  const isAppliance = is(type, 'VirtualAppliance');
  if (isAppliance !== (address !== undefined))
    throw refused(
      isAppliance ? 'NextHopIpAddressMissing' : 'NextHopIpAddressNotAllowed',
      `Route ${path} of next hop type ${type} ${isAppliance ? 'must' : 'cannot'} have a next hop IP address.`,
      { details: [] },
    );
  const named = [...(address === undefined ? [] : [address]), ...(addresses ?? [])];
  const bad = named.find((one) => addressNumber(one) === undefined);
  if (bad !== undefined || is(type, 'VirtualApplianceEcmp') !== (addresses !== undefined))
    throw refused('InvalidNextHopIpAddress', `Route ${path} has an invalid next hop IP address ${bad ?? ''}.`, {
      details: [],
    });
}

/** Tags of services may stand for addresses: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview#service-tags-for-user-defined-routes */
const SERVICE_TAG = /^[A-Za-z]+(?:\.[A-Za-z0-9]+)?$/;

/** One text for equal destinations; undefined where it is neither a block nor a service tag. Azure takes host bits here. */
function destinationOf(prefix: string): string | undefined {
  if (SERVICE_TAG.test(prefix)) return prefix.toLowerCase();
  return parseCidr(prefix, prefix.includes(':') ? 'ipv6' : 'ipv4')?.text;
}

/** As recorded in https://github.com/kubernetes-sigs/cloud-provider-azure/issues/657 */
export function checkRoutes(routes: readonly Route[]): void {
  const seen = new Map<string, Route>();
  for (const route of routes) {
    const destination = destinationOf(route.addressPrefix) ?? '';
    const other = seen.get(destination);
    if (other)
      throw refused(
        'RouteConflict',
        `Route: ${nameOf(route.path)} conflicts with Route: ${nameOf(other.path)}. Routes cannot have the same AddressPrefix.`,
        { details: [] },
      );
    seen.set(destination, route);
  }
}

/** A route as answers show it. */
export function routeBody({ version }: RouteTable, route: Route): object {
  const { path, addressPrefix, nextHopType, nextHopIpAddress, nextHopIpAddresses } = route;
  return {
    name: nameOf(path),
    id: path,
    etag: version.etag,
    type: 'Microsoft.Network/routeTables/routes',
    properties: {
      provisioningState: version.state,
      addressPrefix,
      nextHopType,
      hasBgpOverride: false,
      ...(nextHopIpAddress === undefined ? {} : { nextHopIpAddress }),
      ...(nextHopIpAddresses === undefined ? {} : { nextHop: { nextHopIpAddresses } }),
    },
  };
}
