import type { NetworkAcl, NetworkAclEntry } from '@aws-sdk/client-ec2';
import type { Observed, SubnetFilters } from '../../src/core/observed.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { listWithRetries } from '../shared/listed-settings.ts';
import type { Scope } from './scope.ts';

/** The network ACLs of subnets, by one listing of the region: https://docs.aws.amazon.com/vpc/latest/userguide/vpc-network-acls.html */
export async function outerFilters(
  subnets: readonly Observed<'subnet'>[],
  { listings, clock }: Pick<Scope, 'listings' | 'clock'>,
  call: Call,
): Promise<readonly SubnetFilters[]> {
  const acls = await listWithRetries(() => listings.acls('subnet', call), clock, call);
  if (acls instanceof ListingFailed) {
    const unlisted = [`network ACLs were not listed: ${acls.code}: ${acls.message}`];
    return subnets.map(({ id }) => ({ subnet: id, filters: [], unlisted }));
  }
  const bySubnet = new Map(
    acls.flatMap((acl) => (acl.Associations ?? []).map(({ SubnetId = '' }) => [SubnetId, acl] as const)),
  );
  return subnets.map(({ id }) => filtersOf(id, bySubnet.get(id)));
}

/** Every subnet has an ACL, so one without is an answer that is short. */
function filtersOf(subnet: string, acl: NetworkAcl | undefined): SubnetFilters {
  if (acl === undefined) return { subnet, filters: [], unlisted: ['EC2 listed no network ACL of it'] };
  return { subnet, filters: deniesNothing(acl) ? [] : [`network ACL ${acl.NetworkAclId ?? ''}`], unlisted: [] };
}

/**
 * True where an ACL denies no IPv4 packet, as the one that a VPC is born with. IPv6 addresses of machines are not known, so whatever it says of
 * them changes no answer. Entries decide by their number, the lowest first:
 *
 *   entries of IPv4, in each direction  | lets all pass
 *   ------------------------------------+---------------
 *   100 allow all, * deny all           | yes
 *   90 allow tcp 22, 100 allow all      | yes
 *   90 deny tcp 22, 100 allow all       | no
 *   100 allow tcp 0-65535, * deny all   | no
 *
 * https://docs.aws.amazon.com/vpc/latest/userguide/default-network-acl.html
 */
export const deniesNothing = ({ Entries = [] }: Pick<NetworkAcl, 'Entries'>): boolean =>
  [true, false].every((egress) => {
    const own = Entries.filter((entry) => entry.Egress === egress && entry.CidrBlock !== undefined);
    const [first] = own
      .toSorted((a, b) => (a.RuleNumber ?? 0) - (b.RuleNumber ?? 0))
      .filter((entry) => entry.RuleAction !== 'allow' || isOfEveryPacket(entry));
    return first?.RuleAction === 'allow';
  });

/** Protocol -1: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkAclEntry.html */
const isOfEveryPacket = ({ Protocol, CidrBlock }: NetworkAclEntry): boolean =>
  Protocol === '-1' && CidrBlock === '0.0.0.0/0';
