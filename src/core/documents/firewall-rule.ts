import { z } from 'zod';
import { type PortRange, parsePorts } from '../port-set.ts';
import { cidr, type DeepReadonly, flag, freeText, metadata, name, names, terms, text, whole } from './fields.ts';

/**
 * One spelling per protocol, whatever cloud a person copied it from: `6`, `"6"`, `TCP` and `Tcp` are `tcp`; `-1` (AWS) and
 * `*` (Azure) are `all`; `esp`, `ah` and `sctp` are their numbers (https://www.iana.org/assignments/protocol-numbers).
 */
type Protocol = 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'all' | number;

const NAMED: Readonly<Record<string, Protocol>> = {
  tcp: 'tcp',
  udp: 'udp',
  icmp: 'icmp',
  icmpv6: 'icmpv6',
  all: 'all',
  '-1': 'all',
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  '58': 'icmpv6',
  '*': 'all',
  esp: 50,
  ah: 51,
  sctp: 132,
};

const protocolForms = { error: 'tcp, udp, icmp, icmpv6, esp, ah, sctp, all, or the number of a protocol (0 to 255)' };

const protocol = () =>
  z
    .union(
      [z.enum(['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'ah', 'sctp', 'all']), whole(-1, 255), z.string()],
      protocolForms,
    )
    .refine((given) => toProtocol(given) !== undefined, protocolForms)
    .transform((given): Protocol => toProtocol(given) ?? 'all');

function toProtocol(given: string | number): Protocol | undefined {
  const text = String(given).toLowerCase();
  if (Object.hasOwn(NAMED, text)) return NAMED[text];
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}

const portForms = { error: 'a port (443) or a range (8000-8100), 0 to 65535' };

const port = z.union([z.int(), z.string()], portForms).refine((item) => parsePorts([item]) !== undefined, portForms);

/** Ports as a canonical set: ascending ranges that neither overlap nor touch. */
const ports = () =>
  z
    .array(port, { error: 'a list of ports (443) and ranges (8000-8100)' })
    .min(1, { error: 'at least one port; omit ports for all' })
    .transform((items): readonly PortRange[] => parsePorts(items) ?? []);

/** As AWS has it: -1 is every type, or every code of the type. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html */
const icmp = () =>
  z
    .strictObject(
      {
        type: whole(-1, 255).meta({ description: 'The ICMP type; -1 is every type.' }),
        code: whole(-1, 255).default(-1).meta({ description: 'The code of the type. -1 or none is every code.' }),
      },
      { error: '{ type, code }' },
    )
    .refine(({ type, code }) => type !== -1 || code === -1, { error: 'no code if the type is every type' });

const prefixList = text(/^pl-[0-9a-f]{1,32}$/, 'a prefix list, such as pl-0abc');
const groupId = text(
  /^(?:\d{12}\/)?sg-[0-9a-f]{1,32}$/,
  'a security group, such as sg-0abc, or 111122223333/sg-0abc in another account',
);
const serviceTag = text(/^[A-Za-z][A-Za-z0-9.]{0,79}$/, 'a service tag, such as VirtualNetwork');
const serviceAccount = text(
  /^[^\s@]{1,64}@[A-Za-z0-9.-]{1,190}$/,
  'the address of a service account, such as web@acme.iam.gserviceaccount.com',
);

const serviceAccounts = () =>
  z
    .array(serviceAccount, { error: 'a list of service accounts' })
    .default([])
    .meta({ description: 'Machines that run as one of these service accounts. Google Cloud only.' });

const peers = z
  .strictObject(
    {
      cidrs: z
        .array(cidr(), { error: 'a list of address blocks' })
        .default([])
        .meta({ description: 'Address blocks.' }),
      groups: z
        .array(name(), { error: 'a list of groups' })
        .default([])
        .meta({ description: 'Groups of the same network.' }),
      groupIds: z
        .array(groupId, { error: 'a list of security groups' })
        .default([])
        .meta({
          description: 'AWS only: security groups of peered networks and other accounts, by id.',
          examples: [['sg-0abc', '111122223333/sg-0def']],
        }),
      prefixLists: z
        .array(prefixList, { error: 'a list of prefix lists' })
        .default([])
        .meta({ description: 'AWS only.' }),
      serviceTags: z
        .array(serviceTag, { error: 'a list of service tags' })
        .default([])
        .meta({ description: 'Azure only.' }),
      serviceAccounts: serviceAccounts(),
      any: flag().default(false).meta({ description: 'Anyone, over IPv4 and IPv6.' }),
    },
    { error: '{ cidrs, groups, groupIds, prefixLists, serviceTags, serviceAccounts, any }' },
  )
  .refine((given) => given.any || listedIn(given).length > 0, {
    error: 'at least one of cidrs, groups, groupIds, prefixLists, serviceTags, serviceAccounts, or any: true',
  })
  .refine((given) => !given.any || listedIn(given).length === 0, { error: 'any: true alone, as it covers the others' });

const listedIn = (given: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Object.values(given).filter(Array.isArray).flat();

/** The machines that a rule applies to. */
const appliesTo = z
  .strictObject(
    {
      groups: z
        .array(name(), { error: 'a list of groups' })
        .default([])
        .meta({ description: 'Instances of these groups of the network.' }),
      subnets: z
        .array(name(), { error: 'a list of subnets' })
        .default([])
        .meta({ description: 'Addresses of these subnets of the network. Google Cloud and Azure.' }),
      cidrs: z
        .array(cidr(), { error: 'a list of address blocks' })
        .default([])
        .meta({ description: 'Addresses in these blocks. Google Cloud and Azure.' }),
      serviceTags: z
        .array(serviceTag, { error: 'a list of service tags' })
        .default([])
        .meta({ description: 'Addresses of these service tags. Azure only.' }),
      serviceAccounts: serviceAccounts(),
      network: flag().default(false).meta({
        description:
          'Every machine of the network, whoever made it; of an adopted rule of Azure: every machine behind its security group. Google Cloud and Azure.',
      }),
    },
    { error: '{ groups, subnets, cidrs, serviceTags, serviceAccounts, network }' },
  )
  .refine((given) => given.network || listedIn(given).length > 0, {
    error: 'at least one of groups, subnets, cidrs, serviceTags, serviceAccounts, or network: true',
  })
  .refine((given) => !given.network || listedIn(given).length === 0, {
    error: 'network: true alone, as it covers the others',
  });

const service = z.strictObject(
  {
    protocol: protocol().meta({ description: 'The protocol, by name or number.' }),
    ports: ports().optional().meta({ description: 'Ports and ranges. Default: all.' }),
    icmp: icmp().optional().meta({ description: 'Only with icmp and icmpv6. Default: every type and code.' }),
  },
  { error: '{ protocol, ports, icmp }' },
);

export const firewallRuleSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('FirewallRule'),
    metadata: metadata(),
    spec: z.strictObject(
      {
        network: name().optional().meta({
          description:
            'The network of the rule, on all targets of that network. Only a rule that adopts, and that names no group or subnet, may omit it.',
        }),
        targets: names('targets')
          .optional()
          .meta({ description: 'The only targets of the rule. Default: all targets of the network.' }),
        direction: z
          .enum(['ingress', 'egress'])
          .default('ingress')
          .meta({ description: 'The direction of the traffic.' }),
        action: z.enum(['allow', 'deny']).default('allow').meta({
          description: 'The effect of the rule. AWS security groups can only allow.',
        }),
        protocol: protocol()
          .optional()
          .meta({ description: 'The protocol, by name or number. Either this or protocols.' }),
        ports: ports().optional().meta({ description: 'Ports and ranges. Default: all.' }),
        icmp: icmp().optional().meta({ description: 'Only with icmp and icmpv6. Default: every type and code.' }),
        protocols: z
          .array(service, { error: 'a list of { protocol, ports, icmp }' })
          .min(1, { error: 'at least one protocol' })
          .optional()
          .meta({
            description: 'Several protocols with their ports, instead of protocol, ports and icmp.',
            examples: [[{ protocol: 'tcp', ports: [443] }, { protocol: 'icmp' }]],
          }),
        group: name().optional().meta({
          description:
            'The group of the rule. Default: every instance of this estate in the network. appliesTo names other machines.',
        }),
        appliesTo: appliesTo.optional().meta({
          description: 'The machines that the rule applies to, instead of group.',
          examples: [{ groups: ['web', 'db'] }, { network: true }],
        }),
        peers: peers.meta({ description: 'The sources or destinations of the traffic.' }),
        priority: whole(0, 65535).default(1000).meta({
          description:
            'The order among the rules of the network, lowest first, on clouds with an order. 65534 and 65535 only where the rule adopts.',
        }),
        description: freeText(255).optional().meta({ description: 'A description of the rule on the cloud.' }),
        disabled: flag()
          .default(false)
          .meta({ description: 'Whether the rule is inactive, on clouds that support it.' }),
        log: flag()
          .default(false)
          .meta({ description: 'Whether the cloud logs connections, on clouds that support it.' }),
        ...terms(),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'FirewallRule', description: 'A rule that allows or denies traffic in one network.' });

type Spec = z.output<typeof firewallRuleSchema>['spec'];

/** One protocol of a rule. Absent ports: all of them; absent icmp: every type and code. */
export interface Service {
  readonly protocol: Protocol;
  readonly ports?: readonly PortRange[] | undefined;
  readonly icmp?: { readonly type: number; readonly code: number } | undefined;
}

/** The protocols of a rule with their ports: those of `protocols`, or its own. */
export function servicesOf({ protocols, protocol, ports, icmp }: DeepReadonly<Spec>): readonly Service[] {
  if (protocols !== undefined) return protocols;
  return protocol === undefined ? [] : [{ protocol, ports, icmp }];
}

/** The own groups of a rule: those that `appliesTo` or `group` names. Undefined: the group `all`. */
export function ownGroups({ group, appliesTo }: DeepReadonly<Spec>): readonly string[] | undefined {
  if (appliesTo !== undefined) return appliesTo.groups;
  return group === undefined ? undefined : [group];
}
