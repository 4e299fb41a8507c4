import { EC2Client } from '@aws-sdk/client-ec2';
import type { Observed } from '../../../src/core/observed.ts';
import { onePort, putNetworkAcl } from '../../support/network-acl.ts';
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
    const id = await putNetworkAcl(client, subnet?.id ?? '', onePort(443));
    return `network ACL ${id}`;
  },
};

outerFilters('aws', [acl]);
