import { listOf, oneOf, optional, scalar } from '../../json.ts';
import { anything, fields, outputs, readBody, readOnly } from '../body.ts';
import { refused } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { checkWritable, identity, written } from '../lifecycle.ts';
import { placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import { reference } from '../network-interface.ts';
import type { NatGateway } from '../records.ts';
import { checkReference, subnetsNaming } from '../references.ts';
import { checkedName, keyOf, nameOf } from '../resource-id.ts';
import { checkedTags, tagsBody, tagsField } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';

/** The sandbox stores and returns these fields. They change nothing in it. */
const KEPT = {
  publicIpPrefixes: anything,
  publicIpAddressesV6: anything,
  publicIpPrefixesV6: anything,
  sourceVirtualNetwork: anything,
  nat64: optional(scalar('string')),
} as const;

const form = fields({
  location: optional(scalar('string')),
  tags: tagsField,
  zones: optional(listOf(scalar('string'))),
  sku: optional(fields({ name: optional(oneOf('Standard', 'StandardV2')) })),
  properties: optional(
    fields({
      ...KEPT,
      idleTimeoutInMinutes: optional(scalar('number')),
      publicIpAddresses: optional(listOf(reference)),
      subnets: readOnly,
      resourceGuid: readOnly,
      provisioningState: readOnly,
    }),
  ),
  ...outputs,
});

const kind: Kind<NatGateway> = {
  type: 'Microsoft.Network/natGateways',
  table: ({ subscription }) => subscription.natGateways,
  renderer:
    ({ subscription }) =>
    (gateway) => {
      const subnets = subnetsNaming(subscription, 'natGateway', gateway.id);
      return {
        name: nameOf(gateway.path),
        id: gateway.path,
        etag: gateway.version.etag,
        type: kind.type,
        location: gateway.location,
        ...tagsBody(gateway.tags),
        ...(gateway.zones === undefined ? {} : { zones: gateway.zones }),
        sku: { name: gateway.sku },
        properties: {
          provisioningState: gateway.version.state,
          resourceGuid: gateway.guid,
          idleTimeoutInMinutes: gateway.idleTimeout,
          ...(gateway.addresses.length > 0 ? { publicIpAddresses: gateway.addresses.map((id) => ({ id })) } : {}),
          ...(subnets.length > 0 ? { subnets: subnets.map((id) => ({ id })) } : {}),
          ...gateway.kept,
        },
      };
    },
};

/** https://learn.microsoft.com/rest/api/nat-gateway/nat-gateways */
export const natGatewayMethods: readonly Method[] = trackedMethods<NatGateway>({
  kind,
  name: 'natGateways',
  pages: 'natGateways',
  put,
  refuseRemoval: ({ subscription }, { id, path }) => {
    const { length } = subnetsNaming(subscription, 'natGateway', id);
    if (length > 0) throw inUse(path, length);
  },
});

/** The idle timeout is 4 minutes at first: https://learn.microsoft.com/azure/nat-gateway/nat-gateway-resource#tcp-idle-timeout-timers */
function put(asked: Asked, path: string): Reply {
  const { subscription, request } = asked;
  checkedName(nameOf(path));
  const known = subscription.natGateways.get(keyOf(path));
  const { location, tags, sku, zones, properties } = readBody(request.body, form);
  const place = placeOf({ location, known, path });
  checkWritable(asked, known, path);
  const addresses = properties?.publicIpAddresses ?? [];
  for (const to of addresses) checkReference(subscription, { from: path, to, location: place });
  const kept = Object.entries(properties ?? {}).filter(([name, value]) => name in KEPT && value !== undefined);
  return written(asked, kind, {
    ...identity(asked, known, path),
    location: place,
    tags: checkedTags(tags),
    sku: sku?.name ?? known?.sku ?? 'Standard',
    zones,
    idleTimeout: properties?.idleTimeoutInMinutes ?? 4,
    addresses,
    kept: Object.fromEntries(kept),
  });
}

/** As recorded in https://github.com/Azure-Samples/Copilot-Studio-with-Azure-AI-Search/issues/62 */
function inUse(path: string, subnets: number): Error {
  return refused(
    'CannotDeleteNatGatewayAssociatedToSubnet',
    `NAT Gateway ${path} is still configured on ${subnets} subnets. Remove NAT Gateway from all referenced subnets and then delete NAT Gateway.`,
    { details: [] },
  );
}
