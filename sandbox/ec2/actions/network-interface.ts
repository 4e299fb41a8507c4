import { type Action, type Context, dryRun, read } from '../action.ts';
import { ID } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { interfaceXml } from '../network-interface.ts';
import { list, text } from '../query.ts';
import type { NetworkInterface } from '../records.ts';

export const networkInterfaceActions: readonly Action[] = [
  read({
    name: 'DescribeNetworkInterfaces',
    fields: { ...listFields, ...dryRun, NetworkInterfaceId: list(text) },
    run: (context, input) => describe(context, input, input.NetworkInterfaceId, interfaceListing(context)),
  }),
];

function interfaceListing({ region }: Context): Listing<NetworkInterface> {
  return {
    set: 'networkInterfaceSet',
    table: region.interfaces,
    rules: { ids: ID.networkInterface, max: 1000, idsExcludePages: 'networkInterfaceIdSet' },
    filters: {
      'network-interface-id': (eni) => [eni.id],
      'vpc-id': (eni) => [eni.place.vpcId],
      'subnet-id': (eni) => [eni.place.subnetId],
      'availability-zone': (eni) => [eni.place.zone],
      'group-id': (eni) => eni.groups,
      'group-name': (eni) => eni.groups.map((id) => region.groups.get(id)?.name),
      'attachment.instance-id': (eni) => [eni.attachment?.instanceId],
      'attachment.attachment-id': (eni) => [eni.attachment?.id],
      'attachment.status': (eni) => [eni.attachment && 'attached'],
      'attachment.device-index': (eni) => [eni.attachment?.deviceIndex.toString()],
      'association.public-ip': (eni) => [eni.address.publicIp],
      'private-ip-address': (eni) => [eni.address.privateIp],
      'addresses.private-ip-address': (eni) => [eni.address.privateIp],
      description: (eni) => [eni.description],
      'interface-type': (eni) => [eni.requester.type],
      'mac-address': (eni) => [eni.address.mac],
      'owner-id': () => [region.account],
      'requester-id': (eni) => [eni.requester.id],
      'requester-managed': (eni) => [String(eni.requester.managed)],
      status: (eni) => [eni.attachment ? 'in-use' : 'available'],
    },
    render: (eni) => interfaceXml(region, eni, 'listing'),
  };
}
