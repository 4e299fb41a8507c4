import { z } from 'zod';
import { cidr } from './cidr-field.ts';
import { metadata } from './metadata.ts';
import { name, names } from './name-field.ts';
import { icmp, ports, protocol } from './rule-match.ts';
import { terms } from './terms-fields.ts';
import { flag, freeText, text, whole } from './text-field.ts';

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
        network: name().meta({ description: 'The network it belongs to; it stands wherever the network does.' }),
        targets: names('targets').optional().meta({ description: 'Only on these targets of the network.' }),
        direction: z.enum(['ingress', 'egress']).default('ingress').meta({ description: 'Traffic in, or out.' }),
        action: z.enum(['allow', 'deny']).default('allow').meta({
          description: 'AWS security groups can only allow.',
        }),
        protocol: protocol().meta({ description: 'The protocol, by name or number.' }),
        ports: ports().optional().meta({ description: 'Ports and ranges. Left out: all.' }),
        icmp: icmp().optional().meta({ description: 'Only with icmp and icmpv6. Left out: every type and code.' }),
        group: name().optional().meta({
          description: 'Whom it applies to. Left out: every instance of ours in the network.',
        }),
        peers: peers.meta({ description: 'The other side.' }),
        priority: whole(0, 65533).default(1000).meta({
          description: 'Order among the rules of the network, lowest first, on clouds that have one.',
        }),
        description: freeText(255).optional().meta({ description: 'Kept with the rule on the cloud.' }),
        disabled: flag().default(false).meta({ description: 'Kept but not in force, where the cloud has that.' }),
        log: flag().default(false).meta({ description: 'Log connections, where the cloud has that.' }),
        ...terms(),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'FirewallRule', description: 'Who may talk to whom, in one network.' });
