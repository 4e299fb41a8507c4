import { integer, list, record, text } from './wire/fields.ts';

export const permissionsField = {
  IpPermissions: list(
    record({
      IpProtocol: text,
      FromPort: integer,
      ToPort: integer,
      IpRanges: list(record({ CidrIp: text, Description: text })),
      Ipv6Ranges: list(record({ CidrIpv6: text, Description: text })),
      PrefixListIds: list(record({ PrefixListId: text, Description: text })),
      Groups: list(record({ GroupId: text, GroupName: text, UserId: text, VpcId: text, Description: text })),
    }),
  ),
} as const;

interface Described {
  readonly Description?: string | undefined;
}

export type Permission = Ports & Peers;

interface Ports {
  readonly IpProtocol?: string | undefined;
  readonly FromPort?: number | undefined;
  readonly ToPort?: number | undefined;
}

interface Peers {
  readonly IpRanges?: readonly (Described & { readonly CidrIp?: string | undefined })[] | undefined;
  readonly Ipv6Ranges?: readonly (Described & { readonly CidrIpv6?: string | undefined })[] | undefined;
  readonly PrefixListIds?: readonly (Described & { readonly PrefixListId?: string | undefined })[] | undefined;
  readonly Groups?:
    | readonly (Described & {
        readonly GroupId?: string | undefined;
        readonly GroupName?: string | undefined;
        readonly UserId?: string | undefined;
      })[]
    | undefined;
}
