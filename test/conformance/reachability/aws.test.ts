import {
  CreateNetworkAclCommand,
  CreateNetworkAclEntryCommand,
  DescribeNetworkAclsCommand,
  EC2Client,
  ReplaceNetworkAclAssociationCommand,
} from '@aws-sdk/client-ec2';
import type { Observed } from '../../../src/core/observed.ts';
import { words } from './cloud-words.ts';
import { type OuterFilter, outerFilters } from './outer-filters.ts';
import { reachability } from './reachability.ts';

reachability('aws');

const isFar = ({ attributes }: Observed): boolean => 'cidr' in attributes && attributes.cidr === '10.20.2.0/24';

/** On the subnet `far`, as a colleague makes it. It lets in HTTPS alone, and nothing but its answers out. */
const acl: OuterFilter = {
  name: 'a network ACL of a colleague on one subnet',
  denies: ['far > db tcp 5432', 'far > web tcp 443'],
  allows: [],
  put: async ({ sandbox }, { last }) => {
    const region = words.aws.where['region'] ?? '';
    const client = new EC2Client({ endpoint: sandbox.url, region, maxAttempts: 1 });
    const subnet = last?.observation.resources.find(isFar);
    const { NetworkAcls = [] } = await client.send(new DescribeNetworkAclsCommand({}));
    const old = NetworkAcls.find(({ Associations = [] }) =>
      Associations.some(({ SubnetId }) => SubnetId === subnet?.id),
    );
    const { NetworkAcl } = await client.send(new CreateNetworkAclCommand({ VpcId: old?.VpcId }));
    const NetworkAclId = NetworkAcl?.NetworkAclId ?? '';
    for (const Egress of [true, false]) {
      const PortRange = Egress ? { From: 1024, To: 65_535 } : { From: 443, To: 443 };
      const entry = { NetworkAclId, Egress, RuleNumber: 100, Protocol: '6', CidrBlock: '0.0.0.0/0', PortRange };
      await client.send(new CreateNetworkAclEntryCommand({ ...entry, RuleAction: 'allow' }));
    }
    const AssociationId = old?.Associations?.find(({ SubnetId }) => SubnetId === subnet?.id)?.NetworkAclAssociationId;
    await client.send(new ReplaceNetworkAclAssociationCommand({ AssociationId, NetworkAclId }));
    return `network ACL ${NetworkAclId}`;
  },
};

outerFilters('aws', [acl]);
