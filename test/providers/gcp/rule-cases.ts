import type { Firewall } from '../../../providers/gcp/messages.ts';

/**
 * The equivalences of Google's firewalls: what a spec says, what the cloud reports, and whether that is drift. Ids are those of
 * the project's table of cases (G01 to G34); a row without a number is a neighbour of the one before. G35 to G47 are in
 * normalisation-objects.test.ts.
 */
export type Verdict = 'same' | 'drift';

export const project = 'acme';
export const network = `projects/${project}/global/networks/core#3912`;
const prefix = 'https://www.googleapis.com/compute/v1/';

export interface Said {
  readonly direction?: 'ingress' | 'egress';
  readonly action?: 'allow' | 'deny';
  readonly protocol?: string;
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
  readonly priority?: number;
  readonly log?: boolean;
}

/** The API's firewall for the defaults of `Said`. */
export const report = (over: Firewall): Firewall => ({
  id: '77',
  name: 'core-web-https-1a2b3c4d',
  selfLink: `${prefix}projects/${project}/global/firewalls/core-web-https-1a2b3c4d`,
  network: `${prefix}projects/${project}/global/networks/core`,
  direction: 'INGRESS',
  priority: 1000,
  disabled: false,
  logConfig: { enable: false },
  allowed: [{ IPProtocol: 'tcp', ports: ['443'] }],
  sourceRanges: ['10.0.0.0/8'],
  targetTags: ['core-web'],
  ...over,
});

const allowed = (IPProtocol: string, ...ports: string[]): Firewall => ({ allowed: [{ IPProtocol, ports }] });
const egress: Firewall = { direction: 'EGRESS', sourceRanges: [], destinationRanges: ['10.0.0.0/8'] };

interface RuleRow {
  readonly id: string;
  readonly name: string;
  readonly spec?: Said;
  readonly cloud: Firewall;
  readonly want: Verdict;
}

export const ruleCases: readonly RuleRow[] = [
  { id: 'G01', name: 'no priority is 1000', cloud: { priority: 1000 }, want: 'same' },
  { id: 'G01', name: 'and one that the cloud leaves out', cloud: { priority: null }, want: 'same' },
  { id: 'G02', name: '0 is a priority', spec: { priority: 0 }, cloud: { priority: 1000 }, want: 'drift' },
  { id: 'G02', name: '0 reported is 0', spec: { priority: 0 }, cloud: { priority: 0 }, want: 'same' },
  {
    id: 'G04',
    name: 'everywhere, and no source at all',
    spec: { peers: ['0.0.0.0/0'] },
    cloud: { sourceRanges: [] },
    want: 'same',
  },
  {
    id: 'G04',
    name: 'everywhere',
    spec: { peers: ['0.0.0.0/0'] },
    cloud: { sourceRanges: ['0.0.0.0/0'] },
    want: 'same',
  },
  {
    id: 'G05',
    name: 'a tag, and a tag or everywhere',
    spec: { peers: ['tag:core-lb'] },
    cloud: { sourceTags: ['core-lb'], sourceRanges: ['0.0.0.0/0'] },
    want: 'drift',
  },
  {
    id: 'G05',
    name: 'a tag alone',
    spec: { peers: ['tag:core-lb'] },
    cloud: { sourceTags: ['core-lb'], sourceRanges: [] },
    want: 'same',
  },
  {
    id: 'G05',
    name: 'a block, and a block or a service account',
    cloud: { sourceServiceAccounts: ['x@acme.iam.gserviceaccount.com'] },
    want: 'drift',
  },
  {
    id: 'G07',
    name: 'IPv6 in capitals and with zeros',
    spec: { peers: ['2600:2900:3070:BE4:6000:0:0:0/128'] },
    cloud: { sourceRanges: ['2600:2900:3070:be4:6000::/128'] },
    want: 'same',
  },
  {
    id: 'G07',
    name: 'the other way round',
    spec: { peers: ['2600:2900:3070:be4:6000::/128'] },
    cloud: { sourceRanges: ['2600:2900:3070:0BE4:6000:0:0:0/128'] },
    want: 'same',
  },
  ...(['1.1.1.1', '2600:2900:3070:be4:6000::'] as const).map(
    (address): RuleRow => ({
      id: 'G09',
      name: `${address} without a mask`,
      spec: { peers: [`${address}/${address.includes(':') ? 128 : 32}`] },
      cloud: { sourceRanges: [address] },
      want: 'same',
    }),
  ),
  {
    id: 'G09',
    name: 'egress to an address without a mask',
    spec: { direction: 'egress', peers: ['1.1.1.1/32'] },
    cloud: { ...egress, destinationRanges: ['1.1.1.1'] },
    want: 'same',
  },
  {
    id: 'G09',
    name: 'an address without a mask is one address',
    spec: { peers: ['1.1.1.0/24'] },
    cloud: { sourceRanges: ['1.1.1.0'] },
    want: 'drift',
  },
  { id: 'G07', name: 'host bits', spec: { peers: ['10.1.2.3/8'] }, cloud: {}, want: 'same' },
  {
    id: 'G08',
    name: 'another length of prefix',
    spec: { peers: ['2600:2900:3070:be4:6000::/96'] },
    cloud: { sourceRanges: ['2600:2900:3070:be4:6000::/128'] },
    want: 'drift',
  },
  {
    id: 'G08',
    name: 'a block inside another is kept apart',
    spec: { peers: ['10.0.0.0/8', '10.1.0.0/16'] },
    cloud: {},
    want: 'drift',
  },
  {
    id: 'G10',
    name: 'blocks in another order',
    spec: { peers: ['10.0.0.0/8', '192.168.0.0/16'] },
    cloud: { sourceRanges: ['192.168.0.0/16', '10.0.0.0/8'] },
    want: 'same',
  },
  { id: 'G10', name: 'a block twice', cloud: { sourceRanges: ['10.0.0.0/8', '10.0.0.1/8'] }, want: 'same' },
  { id: 'G11', name: 'TCP is tcp', cloud: allowed('TCP', '443'), want: 'same' },
  { id: 'G11', name: 'TCP asked for', spec: { protocol: 'TCP' }, cloud: {}, want: 'same' },
  { id: 'G11', name: '6 is tcp', cloud: allowed('6', '443'), want: 'same' },
  { id: 'G11', name: '17 is udp', spec: { protocol: 'udp' }, cloud: allowed('17', '443'), want: 'same' },
  {
    id: 'G11',
    name: '58 is icmpv6',
    spec: { protocol: 'icmpv6', ports: ['all'] },
    cloud: allowed('58'),
    want: 'same',
  },
  { id: 'G11', name: 'esp is 50', spec: { protocol: '50', ports: ['all'] }, cloud: allowed('esp'), want: 'same' },
  { id: 'G11', name: 'ah is 51', spec: { protocol: '51', ports: ['all'] }, cloud: allowed('AH'), want: 'same' },
  { id: 'G11', name: 'sctp is 132', spec: { protocol: '132' }, cloud: allowed('sctp', '443'), want: 'same' },
  { id: 'G11', name: 'udp is not tcp', cloud: allowed('udp', '443'), want: 'drift' },
  {
    id: 'G11',
    name: 'icmp is not icmpv6',
    spec: { protocol: 'icmp', ports: ['all'] },
    cloud: allowed('58'),
    want: 'drift',
  },
  { id: 'G13', name: 'all', spec: { protocol: 'all', ports: ['all'] }, cloud: allowed('all'), want: 'same' },
  {
    id: 'G13',
    name: 'all, and tcp besides',
    spec: { protocol: 'all', ports: ['all'] },
    cloud: { allowed: [{ IPProtocol: 'tcp', ports: ['80'] }, { IPProtocol: 'all' }] },
    want: 'same',
  },
  { id: 'G13', name: 'all is not tcp', spec: { ports: ['all'] }, cloud: allowed('all'), want: 'drift' },
  {
    id: 'G14',
    name: 'one protocol in two entries',
    spec: { ports: ['80', '443'] },
    cloud: {
      allowed: [
        { IPProtocol: 'tcp', ports: ['80'] },
        { IPProtocol: 'TCP', ports: ['443'] },
      ],
    },
    want: 'same',
  },
  {
    id: 'G14',
    name: 'another protocol besides',
    cloud: {
      allowed: [
        { IPProtocol: 'tcp', ports: ['443'] },
        { IPProtocol: 'udp', ports: ['443'] },
      ],
    },
    want: 'drift',
  },
  {
    id: 'G16',
    name: 'a port inside a range',
    spec: { ports: ['22', '21-25'] },
    cloud: allowed('tcp', '21-25'),
    want: 'same',
  },
  {
    id: 'G16',
    name: 'ports that touch',
    spec: { ports: ['80', '81'] },
    cloud: allowed('tcp', '80-81'),
    want: 'same',
  },
  {
    id: 'G16',
    name: 'a port outside',
    spec: { ports: ['22', '21-25'] },
    cloud: allowed('tcp', '21-24'),
    want: 'drift',
  },
  {
    id: 'G17',
    name: 'ports in another order',
    spec: { ports: ['443', '80'] },
    cloud: allowed('tcp', '80', '443'),
    want: 'same',
  },
  { id: 'G19', name: 'a port, and every port', spec: { ports: ['80'] }, cloud: allowed('tcp'), want: 'drift' },
  { id: 'G19', name: 'every port, two ways', spec: { ports: ['all'] }, cloud: allowed('tcp', '0-65535'), want: 'same' },
  { id: 'G19', name: 'every port, unsaid', spec: { ports: ['0-65535'] }, cloud: allowed('tcp'), want: 'same' },
  { id: 'G22', name: 'not disabled, unsaid', cloud: { disabled: null }, want: 'same' },
  { id: 'G22', name: 'not disabled', cloud: { disabled: false }, want: 'same' },
  { id: 'G23', name: 'disabled by hand', cloud: { disabled: true }, want: 'drift' },
  {
    id: 'G25',
    name: 'logged, with metadata that nobody named',
    spec: { log: true },
    cloud: { logConfig: { enable: true, metadata: 'EXCLUDE_ALL_METADATA' } },
    want: 'same',
  },
  { id: 'G25', name: 'logging unsaid', cloud: { logConfig: null }, want: 'same' },
  { id: 'G25', name: 'logged by hand', cloud: { logConfig: { enable: true } }, want: 'drift' },
  { id: 'G26', name: 'no description', cloud: { description: '' }, want: 'same' },
  { id: 'G26', name: 'a description by hand', cloud: { description: 'do not touch' }, want: 'drift' },
  {
    id: 'G28',
    name: 'a network of that name in another project',
    cloud: { network: `${prefix}projects/other/global/networks/core` },
    want: 'drift',
  },
  {
    id: 'G28',
    name: 'a network by another host',
    cloud: { network: `https://compute.googleapis.com/compute/v1/projects/${project}/global/networks/core` },
    want: 'same',
  },
  {
    id: 'G29',
    name: 'source tags in another order',
    spec: { peers: ['tag:a', 'tag:b'] },
    cloud: { sourceTags: ['b', 'a'], sourceRanges: [] },
    want: 'same',
  },
  { id: 'G29', name: 'another target tag', cloud: { targetTags: ['core-lb'] }, want: 'drift' },
  { id: 'G29', name: 'no target tag is everyone', cloud: { targetTags: [] }, want: 'drift' },
  {
    id: 'G29',
    name: 'a target account',
    cloud: { targetTags: [], targetServiceAccounts: ['x@acme.iam.gserviceaccount.com'] },
    want: 'drift',
  },
  {
    id: 'G31',
    name: 'allowed, and denied',
    cloud: { allowed: [], denied: [{ IPProtocol: 'tcp', ports: ['443'] }] },
    want: 'drift',
  },
  {
    id: 'G31',
    name: 'denied',
    spec: { action: 'deny' },
    cloud: { allowed: [], denied: [{ IPProtocol: 'tcp', ports: ['443'] }] },
    want: 'same',
  },
  {
    id: 'G32',
    name: 'egress to everywhere, unsaid',
    spec: { direction: 'egress', peers: ['0.0.0.0/0'] },
    cloud: { ...egress, destinationRanges: [] },
    want: 'same',
  },
  { id: 'G32', name: 'egress', spec: { direction: 'egress' }, cloud: egress, want: 'same' },
  { id: 'G32', name: 'egress, and ingress', spec: { direction: 'egress' }, cloud: {}, want: 'drift' },
  { id: 'G32', name: 'ingress narrowed by destination', cloud: { destinationRanges: ['10.1.0.0/16'] }, want: 'drift' },
  {
    id: 'G32',
    name: 'egress narrowed by source',
    spec: { direction: 'egress' },
    cloud: { ...egress, sourceRanges: ['10.1.0.0/16'] },
    want: 'drift',
  },
  {
    id: 'G34',
    name: 'what the cloud adds',
    cloud: { creationTimestamp: '2026-11-21T00:00:00.000-07:00', kind: 'compute#firewall' },
    want: 'same',
  },
];
