import { readBody } from '../body.ts';
import { refused } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { checkWritable, identity, written } from '../lifecycle.ts';
import { placeOf } from '../location.ts';
import type { Asked, Method, Reply } from '../method.ts';
import {
  freshPublicAddress,
  PUBLIC_ADDRESS_KEPT,
  type PublicAddressForm,
  publicAddressBody,
  publicAddressForm,
} from '../public-address.ts';
import type { PublicAddress } from '../records.ts';
import { checkedName, keyOf, nameOf } from '../resource-id.ts';
import { checkedTags } from '../tags.ts';
import { trackedMethods } from '../tracked-methods.ts';

const kind: Kind<PublicAddress> = {
  type: 'Microsoft.Network/publicIPAddresses',
  table: ({ subscription }) => subscription.addresses,
  renderer: () => publicAddressBody,
};

/** https://learn.microsoft.com/rest/api/virtualnetwork/public-ip-addresses */
export const publicAddressMethods: readonly Method[] = trackedMethods<PublicAddress>({
  kind,
  name: 'publicIPAddresses',
  pages: 'addresses',
  put,
  refuseRemoval: ({ subscription }, { id, path, usedBy }) => {
    const [gateway] = subscription.natGateways.referring(id);
    const user = usedBy ?? gateway?.path;
    if (user !== undefined) throw inUse(path, user);
  },
});

function put(asked: Asked, path: string): Reply {
  checkedName(nameOf(path));
  const known = asked.subscription.addresses.get(keyOf(path));
  const form = readBody(asked.request.body, publicAddressForm);
  const location = placeOf({ location: form.location, known, path });
  checkWritable(asked, known, path);
  return written(asked, kind, planned(asked, { form, known, path, location }));
}

interface Order {
  readonly form: PublicAddressForm;
  readonly known: PublicAddress | undefined;
  readonly path: string;
  readonly location: string;
}

/** Without a SKU an address is Basic, and dynamic where nothing else is said: the service's oldest default. */
function planned(asked: Asked, { form, known, path, location }: Order): PublicAddress {
  const { properties, zones } = form;
  const name = form.sku?.name ?? known?.sku.name ?? 'Basic';
  const allocation = properties.publicIPAllocationMethod ?? 'Dynamic';
  if (name === 'Standard' && allocation !== 'Static') throw mustBeStatic(path);
  if (known?.usedBy !== undefined && known.sku.name !== name) throw skuInUse(path);
  const fresh = allocation === 'Static' ? freshPublicAddress(asked.subscription.random) : undefined;
  const given = Object.entries(properties).filter(
    ([property, value]) => PUBLIC_ADDRESS_KEPT.includes(property) && value !== undefined,
  );
  return {
    ...identity(asked, known, path),
    location,
    tags: checkedTags(form.tags),
    sku: { name, tier: form.sku?.tier ?? 'Regional' },
    allocation,
    address: known?.address ?? fresh,
    usedBy: known?.usedBy,
    deleteOption: properties.deleteOption ?? known?.deleteOption,
    kept: { zones, properties: Object.fromEntries(given) },
  };
}

/** https://github.com/MicrosoftDocs/azure-docs/issues/42889 */
function mustBeStatic(path: string): Error {
  return refused(
    'StandardSkuPublicIPAddressesMustBeStatic',
    `Standard sku publicIp ${path} must have AllocationMethod set to Static.`,
    { details: [] },
  );
}

/** Only a free address changes its SKU: https://learn.microsoft.com/azure/virtual-network/ip-services/public-ip-upgrade. The code is an assumption. */
function skuInUse(path: string): Error {
  return refused(
    'PublicIPAddressInUseCannotUpdate',
    `The SKU of public IP address ${path} cannot be changed while it is in use.`,
    {
      details: [],
    },
  );
}

/** https://github.com/hashicorp/terraform-provider-azurerm/issues/2566 */
function inUse(path: string, usedBy: string): Error {
  return refused(
    'PublicIPAddressCannotBeDeleted',
    `Public IP address ${path} can not be deleted since it is still allocated to resource ${usedBy}. In order to delete the public IP, disassociate/detach the Public IP address from the resource.  To learn how to do this, see aka.ms/deletepublicip.`,
    { details: [] },
  );
}
