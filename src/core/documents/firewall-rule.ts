import { z } from 'zod';
import { type PortRange, parsePorts } from '../port-set.ts';
import { cidr, flag, freeText, metadata, name, names, terms, text, whole } from './fields.ts';

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
const serviceTag = text(/^[A-Za-z][A-Za-z0-9.]{0,79}$/, 'a service tag, such as VirtualNetwork');

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
      prefixLists: z
        .array(prefixList, { error: 'a list of prefix lists' })
        .default([])
        .meta({ description: 'AWS only.' }),
      serviceTags: z
        .array(serviceTag, { error: 'a list of service tags' })
        .default([])
        .meta({ description: 'Azure only.' }),
      any: flag().default(false).meta({ description: 'Anyone, over IPv4 and IPv6.' }),
    },
    { error: '{ cidrs, groups, prefixLists, serviceTags, any }' },
  )
  .refine((given) => given.any || peersOf(given).length > 0, {
    error: 'at least one of cidrs, groups, prefixLists, serviceTags, or any: true',
  })
  .refine((given) => !given.any || peersOf(given).length === 0, { error: 'any: true alone, as it covers the others' });

const peersOf = (given: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Object.values(given).filter(Array.isArray).flat();

export const firewallRuleSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('FirewallRule'),
    metadata: metadata(),
    spec: z.strictObject(
      {
        network: name().meta({ description: 'The network of the rule, on all targets of that network.' }),
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
        protocol: protocol().meta({ description: 'The protocol, by name or number.' }),
        ports: ports().optional().meta({ description: 'Ports and ranges. Default: all.' }),
        icmp: icmp().optional().meta({ description: 'Only with icmp and icmpv6. Default: every type and code.' }),
        group: name().optional().meta({
          description: 'The group of the rule. Default: every instance of this estate in the network.',
        }),
        peers: peers.meta({ description: 'The sources or destinations of the traffic.' }),
        priority: whole(0, 65533).default(1000).meta({
          description: 'The order among the rules of the network, lowest first, on clouds with an order.',
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
