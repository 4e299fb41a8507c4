import { refused } from './errors.ts';
import { cidrPeer, groupPeer, prefixPeer } from './peers.ts';
import type { Permission } from './permission-fields.ts';
import type { SecurityGroup } from './records.ts';
import type { Region } from './region.ts';
import type { RuleContent } from './rule-key.ts';
import { trafficOf } from './traffic.ts';

/** Takes permissions apart into rules, in EC2's own spelling. */
export function rulesOf(
  region: Region,
  group: SecurityGroup,
  permissions: readonly Permission[],
): readonly RuleContent[] {
  return permissions.flatMap((permission) => {
    const traffic = trafficOf(permission);
    const peers = [
      ...(permission.IpRanges ?? []).map((range) => ({
        peer: cidrPeer(range.CidrIp ?? '', 'ipv4'),
        description: range.Description,
      })),
      ...(permission.Ipv6Ranges ?? []).map((range) => ({
        peer: cidrPeer(range.CidrIpv6 ?? '', 'ipv6'),
        description: range.Description,
      })),
      ...(permission.PrefixListIds ?? []).map((range) => ({
        peer: prefixPeer(range.PrefixListId ?? ''),
        description: range.Description,
      })),
      ...(permission.Groups ?? []).map((pair) => ({
        peer: groupPeer(region, group, pair),
        description: pair.Description,
      })),
    ];
    if (peers.length === 0) throw refused('MissingParameter', 'Source group ID missing.');
    return peers.map(({ peer, description }) => ({ traffic, peer, description: checkedDescription(description) }));
  });
}

const DESCRIPTION = /^[a-zA-Z0-9. _\-:/()#,@[\]+=&;{}!$*]{0,255}$/;

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html */
export function checkedDescription(description: string | undefined): string | undefined {
  if (description === undefined || description === '') return undefined;
  if (!DESCRIPTION.test(description)) {
    throw refused(
      'InvalidParameterValue',
      'Invalid rule description. Valid descriptions are strings less than 256 characters from the following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*',
    );
  }
  return description;
}
