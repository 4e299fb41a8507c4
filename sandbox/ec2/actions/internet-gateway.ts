import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { refused } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { list, text } from '../query.ts';
import type { InternetGateway } from '../records.ts';
import { freshId } from '../region.ts';
import { specifiedTags, tagField, tagSet } from '../tags.ts';
import { el, set, wrap } from '../xml.ts';

export const internetGatewayActions: readonly Action[] = [
  read({
    name: 'DescribeInternetGateways',
    fields: { ...listFields, ...dryRun, InternetGatewayId: list(text) },
    run: (context, input) => describe(context, input, input.InternetGatewayId, gatewayListing(context)),
  }),
  write({
    name: 'CreateInternetGateway',
    fields: { ...tagField, ...dryRun },
    run: (context, input) => {
      const { region } = context;
      const tags = specifiedTags(input.TagSpecification, 'internet-gateway');
      const count = [...region.gateways.values()].length;
      if (count >= region.quotas.vpcs)
        throw refused('InternetGatewayLimitExceeded', 'The maximum number of internet gateways has been reached.');
      const gateway = region.gateways.put({ id: freshId(region, 'igw'), tags, vpcId: undefined });
      return wrap('internetGateway', gatewayXml(context, gateway));
    },
  }),
  write({
    name: 'AttachInternetGateway',
    fields: { ...dryRun, InternetGatewayId: text, VpcId: text },
    run: ({ region }, input) => {
      const gateway = target(region.gateways, ID.gateway, input.InternetGatewayId, 'internetGatewayId');
      const vpc = target(region.vpcs, ID.vpc, input.VpcId, 'vpcId');
      if (gateway.vpcId)
        throw refused(
          'Resource.AlreadyAssociated',
          `resource ${gateway.id} is already attached to network ${gateway.vpcId}`,
        );
      for (const other of region.gateways.values()) {
        if (other.vpcId === vpc.id)
          throw refused('InvalidParameterValue', `Network ${vpc.id} already has an internet gateway attached`);
      }
      region.gateways.put({ ...gateway, vpcId: vpc.id });
      return el('return', true);
    },
  }),
  write({
    name: 'DetachInternetGateway',
    fields: { ...dryRun, InternetGatewayId: text, VpcId: text },
    run: ({ region }, input) => {
      const gateway = target(region.gateways, ID.gateway, input.InternetGatewayId, 'internetGatewayId');
      const vpc = target(region.vpcs, ID.vpc, input.VpcId, 'vpcId');
      if (gateway.vpcId !== vpc.id)
        throw refused('Gateway.NotAttached', `resource ${gateway.id} is not attached to network ${vpc.id}`);
      for (const eni of region.interfaces.values()) {
        if (eni.place.vpcId === vpc.id && eni.address.publicIp) {
          throw refused(
            'DependencyViolation',
            `Network ${vpc.id} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`,
          );
        }
      }
      region.gateways.put({ ...gateway, vpcId: undefined });
      return el('return', true);
    },
  }),
  write({
    name: 'DeleteInternetGateway',
    fields: { ...dryRun, InternetGatewayId: text },
    run: ({ region }, input) => {
      const gateway = target(region.gateways, ID.gateway, input.InternetGatewayId, 'internetGatewayId');
      if (gateway.vpcId)
        throw refused(
          'DependencyViolation',
          `The internetGateway '${gateway.id}' has dependencies and cannot be deleted.`,
        );
      region.gateways.remove(gateway.id);
      return el('return', true);
    },
  }),
];

function gatewayListing(context: Context): Listing<InternetGateway> {
  const { region } = context;
  return {
    set: 'internetGatewaySet',
    table: region.gateways,
    rules: { ids: ID.gateway, max: 1000 },
    filters: {
      'internet-gateway-id': (gateway) => [gateway.id],
      'attachment.vpc-id': (gateway) => [gateway.vpcId],
      'attachment.state': (gateway) => [gateway.vpcId && 'available'],
      'owner-id': () => [region.account],
    },
    render: (gateway) => gatewayXml(context, gateway),
  };
}

function gatewayXml({ region }: Context, gateway: InternetGateway): string {
  const attached = gateway.vpcId === undefined ? [] : [el('vpcId', gateway.vpcId) + el('state', 'available')];
  return (
    el('internetGatewayId', gateway.id) +
    el('ownerId', region.account) +
    set('attachmentSet', attached) +
    tagSet(gateway.tags)
  );
}
