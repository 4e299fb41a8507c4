import type { GroupForm } from './estate-form.ts';
import { explained, idOf, type Loading, named } from './estate-loading.ts';
import type { Permission } from './permission-fields.ts';
import { rulesOf } from './permissions.ts';
import type { SecurityGroup, Vpc } from './records.ts';
import { freshId } from './region.ts';
import { tagsIn } from './sharing.ts';
import { noTags } from './tags.ts';
import { allowAllEgress } from './vpc-parts.ts';

/** First all groups, then their rules: rules may name any of them. */
export function loadGroups(loading: Loading, vpc: Vpc, forms: readonly GroupForm[]): void {
  const { region, path } = loading;
  const groups = forms.map((form): SecurityGroup => {
    const id = named(loading, form.key, form.id ?? freshId(region, 'sg'));
    const { name = form.key, description = name } = form;
    return region.groups.put({
      id,
      tags: tagsIn(vpc, form.tags),
      sharedBy: vpc.sharedBy,
      name,
      description,
      vpcId: vpc.id,
    });
  });
  groups.forEach((group, index) => {
    const form = forms[index];
    const here = { ...loading, path: `${path}.groups[${index}]` };
    explained(here, () => {
      for (const rule of form?.ingress ?? []) loadRule(here, group, rule, false);
      for (const rule of form?.egress ?? []) loadRule(here, group, rule, true);
      if (form?.egress === undefined) allowAllEgress(region, group.id, vpc);
    });
  });
}

type RuleForm = NonNullable<GroupForm['ingress']>[number];

function loadRule(loading: Loading, group: SecurityGroup, form: RuleForm, egress: boolean): void {
  const { region } = loading;
  const [from, to] = portsOf(form);
  const permissions = form.peers.map((peer): Permission => {
    const traffic = { IpProtocol: form.protocol, FromPort: from, ToPort: to };
    if (peer.startsWith('pl-'))
      return { ...traffic, PrefixListIds: [{ PrefixListId: peer, Description: form.description }] };
    if (/^[0-9a-f.:]+\/\d+$/i.test(peer)) {
      return peer.includes(':')
        ? { ...traffic, Ipv6Ranges: [{ CidrIpv6: peer, Description: form.description }] }
        : { ...traffic, IpRanges: [{ CidrIp: peer, Description: form.description }] };
    }
    const [userId, groupId] = peer.includes('/') ? peer.split('/') : [undefined, idOf(loading, peer)];
    return { ...traffic, Groups: [{ UserId: userId, GroupId: groupId, Description: form.description }] };
  });
  for (const content of rulesOf(region, group, permissions)) {
    region.rules.put({ id: freshId(region, 'sgr'), tags: form.tags ?? noTags, groupId: group.id, egress, ...content });
  }
}

/** `443`, `8000-8100`, or ICMP's type and code as `8/-1`; nothing for all. */
function portsOf({ protocol, ports }: RuleForm): readonly [number | undefined, number | undefined] {
  const [, from, to] = /^(-?\d+)(?:[-/](-?\d+))?$/.exec(ports ?? '') ?? [];
  if (from !== undefined) return [Number(from), Number(to ?? from)];
  if (/^(?:tcp|udp|6|17)$/.test(protocol)) return [0, 65535];
  return /^(?:icmp|icmpv6|1|58)$/.test(protocol) ? [-1, -1] : [undefined, undefined];
}
