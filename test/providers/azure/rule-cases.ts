import type { SecurityRule } from '@azure/arm-network';

/** A spec's rule, the cloud's report of it, and whether the two differ. */
interface RuleRow {
  /** As in the project's table of cases. */
  readonly id: string;
  readonly name: string;
  readonly spec: Said;
  readonly cloud: SecurityRule;
  readonly want: 'same' | 'drift';
}

/** Absent fields are those of the plainest rule. */
export interface Said {
  readonly protocol?: string;
  readonly action?: 'allow' | 'deny';
  readonly direction?: 'ingress' | 'egress';
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
  readonly description?: string;
  readonly priority?: number;
}

export const web =
  '/subscriptions/s1/resourcegroups/rg-hc/providers/microsoft.network/applicationsecuritygroups/core-web';
const lb = '/subscriptions/s1/resourcegroups/rg-hc/providers/microsoft.network/applicationsecuritygroups/core-lb';

/** The cloud's report of the plainest rule, in the words that we would send. */
const report = (over: SecurityRule = {}): SecurityRule => ({
  protocol: 'Tcp',
  sourcePortRange: '*',
  destinationPortRange: '443',
  sourceAddressPrefix: '10.0.0.0/8',
  destinationApplicationSecurityGroups: [{ id: web }],
  access: 'Allow',
  priority: 1000,
  direction: 'Inbound',
  ...over,
});

const { destinationPortRange: _ports, ...rest } = report();

/** The same without any port. */
const noPort: SecurityRule = rest;

/** Spellings of protocols and ports. */
const trafficCases: readonly RuleRow[] = [
  { id: 'Z01', name: 'TCP is Tcp', spec: {}, cloud: report({ protocol: 'TCP' }), want: 'same' },
  { id: 'Z01', name: 'tcp is Tcp', spec: {}, cloud: report({ protocol: 'tcp' }), want: 'same' },
  { id: 'Z01', name: 'UDP is Udp', spec: { protocol: 'udp' }, cloud: report({ protocol: 'UDP' }), want: 'same' },
  {
    id: 'Z01',
    name: 'ICMP with any port is icmp',
    spec: { protocol: 'icmp', ports: ['all'] },
    cloud: report({ protocol: 'ICMP', destinationPortRange: '*' }),
    want: 'same',
  },
  {
    id: 'Z01',
    name: 'ports of icmp mean nothing',
    spec: { protocol: 'icmp', ports: ['all'] },
    cloud: report({ protocol: 'Icmp', destinationPortRange: '0-65535', sourcePortRange: '80' }),
    want: 'same',
  },
  {
    id: 'Z01',
    name: 'esp is 50',
    spec: { protocol: '50', ports: ['all'] },
    cloud: report({ protocol: 'esp', destinationPortRange: '*' }),
    want: 'same',
  },
  {
    id: 'Z02',
    name: 'every protocol against one',
    spec: { protocol: 'all', ports: ['all'] },
    cloud: report({ destinationPortRange: '*' }),
    want: 'drift',
  },
  {
    id: 'Z02',
    name: 'one protocol against every one',
    spec: { ports: ['all'] },
    cloud: report({ protocol: '*', destinationPortRange: '*' }),
    want: 'drift',
  },
  {
    id: 'Z04',
    name: 'a list of ports without the single one',
    spec: { ports: ['1000-1100'] },
    cloud: { ...noPort, destinationPortRanges: ['1000-1100'] },
    want: 'same',
  },
  {
    id: 'Z05',
    name: 'the single one without the list',
    spec: { ports: ['1000-1100'] },
    cloud: report({ destinationPortRange: '1000-1100', destinationPortRanges: [] }),
    want: 'same',
  },
  {
    id: 'Z05',
    name: 'a single one that came empty, beside the list',
    spec: { ports: ['80', '443'] },
    cloud: report({ destinationPortRange: '', destinationPortRanges: ['443', '80'] }),
    want: 'same',
  },
  {
    id: 'ports',
    name: 'ports compare as sets',
    spec: { ports: ['80', '81', '90-95'] },
    cloud: { ...noPort, destinationPortRanges: ['90-92', '80-81', '93-95'] },
    want: 'same',
  },
  {
    id: 'ports',
    name: 'a port more',
    spec: { ports: ['80'] },
    cloud: { ...noPort, destinationPortRanges: ['80', '81'] },
    want: 'drift',
  },
  { id: 'ports', name: 'a source port named', spec: {}, cloud: report({ sourcePortRange: '1024' }), want: 'drift' },
  {
    id: 'ports',
    name: 'source ports as an empty list',
    spec: {},
    cloud: report({ sourcePortRange: '*', sourcePortRanges: [] }),
    want: 'same',
  },
  {
    id: 'Z14',
    name: 'every port is 0-65535',
    spec: { ports: ['all'] },
    cloud: report({ destinationPortRange: '0-65535' }),
    want: 'same',
  },
  {
    id: 'Z14',
    name: '0-65535 is every port',
    spec: { ports: ['0-65535'] },
    cloud: report({ destinationPortRange: '*' }),
    want: 'same',
  },
];

const { sourceAddressPrefix: _sources, ...fromNowhere } = report();

/** Spellings of the two ends: groups, blocks, service tags, anyone. */
const sideCases: readonly RuleRow[] = [
  {
    id: 'Z07',
    name: 'groups with an empty prefix beside them',
    spec: { peers: [`group:${lb}`] },
    cloud: report({
      sourceAddressPrefix: '',
      sourceAddressPrefixes: [],
      sourceApplicationSecurityGroups: [{ id: lb }],
      destinationAddressPrefix: '',
    }),
    want: 'same',
  },
  {
    id: 'Z07',
    name: 'groups with a prefix beside them',
    spec: { peers: [`group:${lb}`] },
    cloud: report({ sourceAddressPrefix: '10.0.0.0/8', sourceApplicationSecurityGroups: [{ id: lb }] }),
    want: 'drift',
  },
  {
    id: 'Z08',
    name: 'ids of groups in another case',
    spec: { peers: [`group:${lb}`] },
    cloud: {
      ...fromNowhere,
      sourceApplicationSecurityGroups: [{ id: lb.toUpperCase() }],
      destinationApplicationSecurityGroups: [{ id: web.replace('rg-hc', 'RG-HC') }],
    },
    want: 'same',
  },
  {
    id: 'Z08',
    name: 'another group',
    spec: { peers: [`group:${lb}`] },
    cloud: { ...fromNowhere, sourceApplicationSecurityGroups: [{ id: web }] },
    want: 'drift',
  },
  {
    id: 'Z08',
    name: 'for another group',
    spec: {},
    cloud: report({ destinationApplicationSecurityGroups: [{ id: lb }] }),
    want: 'drift',
  },
  {
    id: 'Z10',
    name: 'a bare address is a block of one',
    spec: { peers: ['38.122.226.210/32'] },
    cloud: report({ sourceAddressPrefix: '38.122.226.210' }),
    want: 'same',
  },
  {
    id: 'Z10',
    name: 'a bare IPv6 address too',
    spec: { peers: ['2001:db8::1/128'] },
    cloud: report({ sourceAddressPrefix: '2001:DB8:0::1' }),
    want: 'same',
  },
  {
    id: 'Z10',
    name: 'host bits',
    spec: { peers: ['10.1.0.0/16'] },
    cloud: report({ sourceAddressPrefix: '10.1.2.3/16' }),
    want: 'same',
  },
  {
    id: 'blocks',
    name: 'a list in another order, one of them alone',
    spec: { peers: ['10.1.0.0/16', '10.2.0.0/16'] },
    cloud: report({ sourceAddressPrefix: '10.2.0.0/16', sourceAddressPrefixes: ['10.1.0.0/16'] }),
    want: 'same',
  },
  {
    id: 'blocks',
    name: 'a block inside another is kept apart',
    spec: { peers: ['10.0.0.0/8', '10.1.0.0/16'] },
    cloud: report(),
    want: 'drift',
  },
  {
    id: 'Z11',
    name: 'service tags in any case',
    spec: { peers: ['service-tag:virtualnetwork'] },
    cloud: report({ sourceAddressPrefix: 'VirtualNetwork' }),
    want: 'same',
  },
  {
    id: 'Z11',
    name: 'another service tag',
    spec: { peers: ['service-tag:Internet'] },
    cloud: report({ sourceAddressPrefix: 'VirtualNetwork' }),
    want: 'drift',
  },
  {
    id: 'Z13',
    name: 'anyone is not 0.0.0.0/0',
    spec: { peers: ['any'] },
    cloud: report({ sourceAddressPrefix: '0.0.0.0/0' }),
    want: 'drift',
  },
  {
    id: 'Z13',
    name: '0.0.0.0/0 is not anyone',
    spec: { peers: ['0.0.0.0/0'] },
    cloud: report({ sourceAddressPrefix: '*' }),
    want: 'drift',
  },
  {
    id: 'Z13',
    name: 'anyone is *',
    spec: { peers: ['any'] },
    cloud: report({ sourceAddressPrefix: '*' }),
    want: 'same',
  },
  {
    id: 'side',
    name: 'for one address of its own side',
    spec: {},
    cloud: report({ destinationAddressPrefix: '10.0.0.4' }),
    want: 'drift',
  },
];

/** The words of the rule itself, and all that the cloud adds. */
const ruleWords: readonly RuleRow[] = [
  { id: 'as sent', name: 'the words we would send', spec: {}, cloud: report(), want: 'same' },
  { id: 'Z20', name: 'another priority', spec: { priority: 200 }, cloud: report(), want: 'drift' },
  {
    id: 'Z22',
    name: 'what the cloud adds',
    spec: {},
    cloud: {
      ...report(),
      id: `${web}/x`,
      name: 'x',
      type: 'y',
      etag: 'W/"1"',
      provisioningState: 'Succeeded',
    } as SecurityRule, // why: an answer has more than the SDK's type lets one write
    want: 'same',
  },
  { id: 'Z25', name: 'allow is Allow', spec: {}, cloud: report({ access: 'allow' }), want: 'same' },
  { id: 'Z25', name: 'inbound is Inbound', spec: {}, cloud: report({ direction: 'inbound' }), want: 'same' },
  { id: 'Z25', name: 'DENY is Deny', spec: { action: 'deny' }, cloud: report({ access: 'DENY' }), want: 'same' },
  { id: 'Z25', name: 'deny against allow', spec: {}, cloud: report({ access: 'Deny' }), want: 'drift' },
  {
    id: 'Z25',
    name: 'OUTBOUND is Outbound, with the sides changed',
    spec: { direction: 'egress' },
    cloud: {
      ...noPort,
      direction: 'OUTBOUND',
      destinationPortRange: '443',
      sourceAddressPrefix: '',
      sourceApplicationSecurityGroups: [{ id: web }],
      destinationAddressPrefix: '10.0.0.0/8',
      destinationApplicationSecurityGroups: [],
    },
    want: 'same',
  },
  { id: 'text', name: 'a description more', spec: { description: 'public' }, cloud: report(), want: 'drift' },
  { id: 'text', name: 'an empty one is none', spec: {}, cloud: report({ description: '' }), want: 'same' },
];

/**
 * The equivalences of Azure's security rules: what a spec says, what the cloud reports, and whether that is drift. Ids are
 * those of the project's table of cases; objects are in normalisation-objects.test.ts. Z17, Z19 and Z20 are not about spelling:
 * the planner numbers rules (test/core/plan), and the swap of two numbers is in firewall-rule.test.ts.
 */
export const ruleCases: readonly RuleRow[] = [...trafficCases, ...sideCases, ...ruleWords];
