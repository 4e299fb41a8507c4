import { type Action, dryRun, write } from '../action.ts';
import { missing, refused } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { freshPublicIp } from '../network-interface.ts';
import { flag, text } from '../query.ts';
import type { ElasticAddress, NetworkInterface } from '../records.ts';
import { freshId, type Region } from '../region.ts';
import { specifiedTags, tagField } from '../tags.ts';
import { el } from '../xml.ts';

/** Elastic IP addresses: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html */
export const addressActions: readonly Action[] = [
  write({
    name: 'AllocateAddress',
    fields: { ...tagField, ...dryRun, Domain: text },
    run: ({ region }, input) => {
      const address = region.elasticAddresses.put({
        id: freshId(region, 'eipalloc'),
        tags: specifiedTags(input.TagSpecification, 'elastic-ip'),
        publicIp: freshPublicIp(region),
      });
      return (
        el('publicIp', address.publicIp) +
        el('allocationId', address.id) +
        el('domain', 'vpc') +
        el('publicIpv4Pool', 'amazon') +
        el('networkBorderGroup', region.name)
      );
    },
  }),
  write({
    name: 'AssociateAddress',
    fields: { ...dryRun, AllocationId: text, InstanceId: text, NetworkInterfaceId: text, AllowReassociation: flag },
    run: ({ region }, input) => {
      const address = target(region.elasticAddresses, ID.elasticAddress, input.AllocationId, 'allocationId');
      const eni = interfaceFor(region, input);
      const held = holderOf(region, address);
      if (held !== undefined && held.id !== eni.id) {
        if (input.AllowReassociation === false)
          throw refused(
            'Resource.AlreadyAssociated',
            `resource ${address.id} is already associated with associate-id ${held.address.elastic?.associationId}`,
          );
        disassociate(region, held);
      }
      const associationId = freshId(region, 'eipassoc');
      const elastic = { allocationId: address.id, associationId };
      region.interfaces.put({ ...eni, address: { ...eni.address, publicIp: address.publicIp, elastic } });
      return el('return', true) + el('associationId', associationId);
    },
  }),
  write({
    name: 'DisassociateAddress',
    fields: { ...dryRun, AssociationId: text },
    run: ({ region }, { AssociationId: id }) => {
      if (id === undefined) throw missing('associationId');
      const held = region.interfaces.values().find((eni) => eni.address.elastic?.associationId === id);
      if (held === undefined)
        throw refused('InvalidAssociationID.NotFound', `The association ID '${id}' does not exist`);
      disassociate(region, held);
      return el('return', true);
    },
  }),
];

interface Holder {
  readonly InstanceId?: string | undefined;
  readonly NetworkInterfaceId?: string | undefined;
}

/** "You must specify either the instance ID or the network interface ID": https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateAddress.html */
function interfaceFor(region: Region, { InstanceId, NetworkInterfaceId }: Holder): NetworkInterface {
  const id =
    NetworkInterfaceId ?? target(region.instances, ID.instance, InstanceId, 'instanceId').parts.interfaceIds[0];
  const eni = target(region.interfaces, ID.networkInterface, id, 'networkInterfaceId');
  if (!region.gateways.values().some(({ vpcId }) => vpcId === eni.place.vpcId))
    throw refused('Gateway.NotAttached', `Network ${eni.place.vpcId} is not attached to any internet gateway`);
  return eni;
}

const holderOf = (region: Region, { id }: ElasticAddress): NetworkInterface | undefined =>
  region.interfaces.values().find((eni) => eni.address.elastic?.allocationId === id);

/** A machine that was launched with an address of the pool gets another one of it. */
function disassociate(region: Region, eni: NetworkInterface): void {
  const instance = region.instances.get(eni.attachment?.instanceId ?? '');
  const isBack = instance?.settings.publicIp === true && instance.power.state === 'running';
  const publicIp = isBack ? freshPublicIp(region) : undefined;
  region.interfaces.put({ ...eni, address: { ...eni.address, publicIp, elastic: undefined } });
}
