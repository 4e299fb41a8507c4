import { z } from 'zod';
import {
  adoption,
  cidr,
  flag,
  formerNames,
  listOf,
  metadata,
  name,
  names,
  terms,
  text,
  token,
  whole,
} from './fields.ts';

const verdict = () => z.enum(['allow', 'deny']);

const defaults = z.strictObject(
  {
    ingress: verdict().default('deny').meta({ description: 'The default for incoming traffic without a rule.' }),
    egress: verdict().default('allow').meta({ description: 'The default for outgoing traffic without a rule.' }),
  },
  { error: '{ ingress, egress }' },
);

const route = {
  destination: token('an address block, or a prefix list of AWS').meta({
    description: 'The addresses: a block, a prefix list of AWS, or a service tag of Azure.',
    examples: ['10.40.0.0/16'],
  }),
  nextHop: token('the next hop, as the cloud names it').meta({
    description: 'The next hop, as the cloud names it: a gateway, a peering, a machine, an address.',
    examples: ['tgw-0abc'],
  }),
};

const subnetRoutes = listOf(z.strictObject(route, { error: '{ destination, nextHop }' }), '{ destination, nextHop }');

const networkRoutes = listOf(
  z.strictObject(
    {
      ...route,
      priority: whole(0, 65_535).optional().meta({ description: 'Google Cloud: the priority. Default: 1000.' }),
      tags: names('network tags').optional().meta({
        description: 'Google Cloud: the network tags of the machines that it is for. Default: all machines.',
      }),
    },
    { error: '{ destination, nextHop, priority, tags }' },
  ),
  '{ destination, nextHop, priority, tags }',
);

const blocks = {
  secondaryCidrs: listOf(cidr(), 'address blocks').optional().meta({
    description: 'AWS and Azure: the IPv4 blocks besides `cidr`.',
  }),
  ipv6Cidrs: listOf(cidr(), 'IPv6 blocks').optional().meta({ description: 'The IPv6 blocks.' }),
};

const networkSettings = z.strictObject(
  {
    ...blocks,
    routes: networkRoutes.optional().meta({
      description:
        'Google Cloud: the routes of the network, without those that the cloud makes for subnets and peerings.',
    }),
    natGateways: listOf(token('a NAT gateway'), 'NAT gateways').optional().meta({
      description: 'AWS: the ids of the NAT gateways. Google Cloud: each as <region>/<router>/<name>.',
    }),
    peerings: listOf(
      z.strictObject(
        {
          name: token('a peering').meta({ description: 'The name of the peering. AWS: its id.' }),
          network: token('the id of the other network').meta({ description: 'The id of the other network.' }),
        },
        { error: '{ name, network }' },
      ),
      '{ name, network }',
    )
      .optional()
      .meta({ description: 'The peerings with other networks.' }),
  },
  { error: '{ secondaryCidrs, ipv6Cidrs, routes, natGateways, peerings }' },
);

const subnetSettings = z.strictObject(
  {
    ...blocks,
    secondaryRanges: listOf(
      z.strictObject(
        {
          name: name().meta({ description: 'The name of the range.' }),
          cidr: cidr().meta({ description: 'The block.' }),
        },
        { error: '{ name, cidr }' },
      ),
      '{ name, cidr }',
    )
      .optional()
      .meta({ description: 'Google Cloud: the secondary ranges.' }),
    privateGoogleAccess: flag().optional().meta({
      description: "Google Cloud: whether machines without a public address reach Google's services.",
    }),
    publicIpOnLaunch: flag().optional().meta({
      description:
        'AWS: whether a machine that is launched here gets a public address unless its launch says otherwise.',
    }),
    routes: subnetRoutes.optional().meta({
      description: 'AWS and Azure: the routes of its route table, without those that the cloud makes by itself.',
    }),
    natGateway: token('the name of a NAT gateway').optional().meta({
      description: 'Azure: the name of its NAT gateway; its id if that is in another resource group.',
    }),
  },
  { error: '{ secondaryCidrs, ipv6Cidrs, secondaryRanges, privateGoogleAccess, … }' },
);

const adoptedOnly =
  'Settings of an adopted one. Setpoint compares the stated ones and does not change them yet: a difference is blocked.';

const subnet = z.strictObject(
  {
    name: name().meta({ description: 'Unique in the network.' }),
    cidr: cidr().meta({ description: 'The address block, inside that of the network.', examples: ['10.20.1.0/24'] }),
    zone: text(/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/, 'a zone, such as eu-west-1a')
      .optional()
      .meta({ description: 'The zone. Default: the cloud chooses, and Setpoint does not compare it.' }),
    target: name()
      .optional()
      .meta({ description: 'The only target of the subnet. Default: all targets of the network.' }),
    settings: subnetSettings.optional().meta({ description: adoptedOnly }),
    adopt: adoption(),
    was: formerNames(),
  },
  { error: '{ name, cidr }' },
);

const group = z.strictObject(
  {
    name: name().meta({ description: 'The name of the group, or all.' }),
    adopt: adoption(),
  },
  { error: '{ name, adopt }' },
);

export const networkSchema = z
  .strictObject({
    apiVersion: z.literal('setpoint.dev/v1'),
    kind: z.literal('Network'),
    metadata: metadata(),
    spec: z.strictObject(
      {
        targets: names('targets').meta({ description: 'The targets of the network: one network for each.' }),
        cidr: cidr().meta({
          description:
            'The address block. On Google Cloud a network has none, and this block only contains the subnets.',
          examples: ['10.20.0.0/16'],
        }),
        internet: z
          .union([flag(), z.literal('unmanaged')], { error: 'true, false or unmanaged' })
          .default(false)
          .meta({
            description:
              'Whether it has a gateway and a default route. unmanaged: Setpoint neither compares nor changes them.',
          }),
        filter: z.enum(['managed', 'unmanaged'], { error: 'managed or unmanaged' }).default('managed').meta({
          description:
            'Azure only. managed: the network has a network security group of its own, which is on each of its subnets and holds its rules. unmanaged: Setpoint makes none and leaves those on the subnets as they are; its subnets and rules must then adopt.',
        }),
        allGroup: flag().default(true).meta({
          description:
            'Whether it has the group `all`, with every instance of this estate in the network. Without it each rule names its group.',
        }),
        default: defaults.prefault({}).meta({ description: 'The default for traffic without a rule.' }),
        rules: z.enum(['authoritative', 'additive']).default('authoritative').meta({
          description:
            'authoritative: unmanaged rules are drift, and Setpoint removes them. additive: Setpoint only reports them.',
        }),
        settings: networkSettings.optional().meta({ description: adoptedOnly }),
        subnets: z
          .array(subnet, { error: 'a list of { name, cidr }' })
          .default([])
          .meta({ description: 'Its subnets.' }),
        groups: z.array(group, { error: 'a list of { name, adopt }' }).default([]).meta({
          description: 'Groups that adopt an existing object. Other groups need no entry.',
        }),
        ...terms(),
      },
      { error: 'a map' },
    ),
  })
  .meta({ title: 'Network', description: 'A network with its subnets, gateway and routes.' });
