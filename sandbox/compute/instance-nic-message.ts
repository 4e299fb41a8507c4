import { listOf } from './wire/collection.ts';
import { message } from './wire/message.ts';
import { oneOf, text } from './wire/scalar.ts';

export const accessConfigMessage = message(
  { name: text, type: oneOf('ONE_TO_ONE_NAT'), networkTier: oneOf('PREMIUM', 'STANDARD') },
  {
    outputs: ['kind'],
    unmodelled: [
      'natIP',
      'setPublicPtr',
      'publicPtrDomainName',
      'externalIpv6',
      'externalIpv6PrefixLength',
      'securityPolicy',
    ],
  },
);

/** What a request may say of an interface: https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances */
export const nicMessage = message(
  {
    network: text,
    subnetwork: text,
    networkIP: text,
    accessConfigs: listOf(accessConfigMessage),
    stackType: oneOf('IPV4_ONLY'),
    nicType: oneOf('GVNIC', 'VIRTIO_NET'),
  },
  {
    outputs: ['kind', 'name', 'fingerprint', 'ipv6AccessType'],
    unmodelled: [
      'aliasIpRanges',
      'aliasIpv6Ranges',
      'ipv6Address',
      'ipv6AccessConfigs',
      'internalIpv6PrefixLength',
      'networkAttachment',
      'queueCount',
      'enableVpcScopedDns',
      'igmpQuery',
      'parentNicName',
      'serviceClassId',
      'vlan',
    ],
  },
);

export type NicMessage = ReturnType<typeof nicMessage>;
