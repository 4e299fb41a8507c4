import type { IpPermission } from '@aws-sdk/client-ec2';

/**
 * The equivalences of AWS: what a spec says, what the cloud reports, and whether that is drift. Ids are those of the
 * project's table of cases; A41 to A50 are in normalisation-objects.test.ts. A08, A25 and A28 are refused before any call: test/core/documents.
 */
export type Verdict = 'same' | 'drift';

export const account = '111122223333';
const other = '999900001111';
export const sg = 'sg-1';

export interface Said {
  readonly protocol?: string;
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
  readonly description?: string;
}

export const report = (permission: IpPermission): IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: 443,
  ToPort: 443,
  ...permission,
});
export const v4 = (CidrIp: string, Description?: string): IpPermission => ({
  IpRanges: [{ CidrIp, ...(Description ? { Description } : {}) }],
});
const v6 = (CidrIpv6: string): IpPermission => ({ Ipv6Ranges: [{ CidrIpv6 }] });
const pair = (GroupId: string, UserId = account): IpPermission => ({ UserIdGroupPairs: [{ GroupId, UserId }] });
const ten = v4('10.0.0.0/8');

interface RuleRow {
  readonly id: string;
  readonly name: string;
  readonly spec: readonly Said[];
  readonly cloud: IpPermission[];
  readonly want: Verdict;
}

export const ruleCases: readonly RuleRow[] = [
  { id: 'A01', name: '6 is tcp', spec: [{ protocol: '6' }], cloud: [report(ten)], want: 'same' },
  {
    id: 'A02',
    name: '17 is udp',
    spec: [{ protocol: '17' }],
    cloud: [report({ ...ten, IpProtocol: 'udp' })],
    want: 'same',
  },
  {
    id: 'A02',
    name: '1 is icmp',
    spec: [{ protocol: '1', ports: ['8/0'] }],
    cloud: [report({ ...ten, IpProtocol: 'icmp', FromPort: 8, ToPort: 0 })],
    want: 'same',
  },
  {
    id: 'A04',
    name: 'all is -1',
    spec: [{ protocol: 'all', ports: ['all'] }],
    cloud: [{ ...ten, IpProtocol: '-1' }],
    want: 'same',
  },
  {
    id: 'A05',
    name: '58 is icmpv6',
    spec: [{ protocol: '58', ports: ['all'], peers: ['::/0'] }],
    cloud: [{ ...v6('::/0'), IpProtocol: 'icmpv6', FromPort: -1, ToPort: -1 }],
    want: 'same',
  },
  {
    id: 'A05',
    name: '58 kept as a number',
    spec: [{ protocol: 'icmpv6', ports: ['all'], peers: ['::/0'] }],
    cloud: [{ ...v6('::/0'), IpProtocol: '58', FromPort: -1, ToPort: -1 }],
    want: 'same',
  },
  {
    id: 'A07',
    name: '-1 with ports -1',
    spec: [{ protocol: 'all', ports: ['all'] }],
    cloud: [{ ...ten, IpProtocol: '-1', FromPort: -1, ToPort: -1 }],
    want: 'same',
  },
  {
    id: 'A10',
    name: 'one icmp type against every one',
    spec: [{ protocol: 'icmp', ports: ['8/all'] }],
    cloud: [{ ...ten, IpProtocol: 'icmp', FromPort: -1, ToPort: -1 }],
    want: 'drift',
  },
  {
    id: 'A11',
    name: 'one icmp code against every one',
    spec: [{ protocol: 'icmp', ports: ['3/4'] }],
    cloud: [{ ...ten, IpProtocol: 'icmp', FromPort: 3, ToPort: -1 }],
    want: 'drift',
  },
  {
    id: 'A13',
    name: 'icmp to an IPv6 block is not icmpv6',
    spec: [{ protocol: 'icmp', ports: ['all'], peers: ['::/0'] }],
    cloud: [{ ...v6('::/0'), IpProtocol: 'icmpv6', FromPort: -1, ToPort: -1 }],
    want: 'drift',
  },
  {
    id: 'A14',
    name: 'ports of sctp mean nothing',
    spec: [{ protocol: '132', ports: ['100-200'] }],
    cloud: [{ ...ten, IpProtocol: '132' }],
    want: 'same',
  },
  {
    id: 'A14',
    name: 'other ports of sctp mean nothing either',
    spec: [{ protocol: '132', ports: ['100-200'] }],
    cloud: [{ ...ten, IpProtocol: '132', FromPort: 5, ToPort: 6 }],
    want: 'same',
  },
  {
    id: 'A16',
    name: 'both families in one permission',
    spec: [{ peers: ['10.0.0.0/8', '2001:db8::/32'] }],
    cloud: [report({ ...ten, ...v6('2001:db8::/32') })],
    want: 'same',
  },
  {
    id: 'A16',
    name: 'both families in two permissions',
    spec: [{ peers: ['10.0.0.0/8', '2001:db8::/32'] }],
    cloud: [report(v6('2001:db8::/32')), report(ten)],
    want: 'same',
  },
  {
    id: 'A17',
    name: 'a block and a group apart',
    spec: [{ peers: ['10.0.0.0/8', 'group:sg-2'] }],
    cloud: [report(pair('sg-2')), report(ten)],
    want: 'same',
  },
  {
    id: 'A19',
    name: 'another order',
    spec: [{ ports: ['80'] }, { ports: ['443'], peers: ['10.0.0.0/8', '11.0.0.0/8'] }],
    cloud: [
      report({ IpRanges: [{ CidrIp: '11.0.0.0/8' }, { CidrIp: '10.0.0.0/8' }] }),
      report({ ...ten, FromPort: 80, ToPort: 80 }),
    ],
    want: 'same',
  },
  {
    id: 'A20',
    name: 'host bits are cleared',
    spec: [{ peers: ['100.68.0.18/18'] }],
    cloud: [report(v4('100.68.0.0/18'))],
    want: 'same',
  },
  {
    id: 'A22',
    name: 'a block stored before AWS canonicalised',
    spec: [{ peers: ['192.168.0.0/31'] }],
    cloud: [report(v4('192.168.0.1/31'))],
    want: 'same',
  },
  {
    id: 'A23',
    name: 'IPv6 text in another spelling',
    spec: [{ peers: ['2001:DB8:0:0::/32'] }],
    cloud: [report(v6('2001:db8::/32'))],
    want: 'same',
  },
  { id: 'A26', name: 'a description more', spec: [{ description: 'public' }], cloud: [report(ten)], want: 'drift' },
  {
    id: 'A29',
    name: 'two descriptions of one permission',
    spec: [
      { peers: ['10.0.0.0/8'], description: 'a' },
      { peers: ['11.0.0.0/8'], description: 'b' },
    ],
    cloud: [
      report({
        IpRanges: [
          { CidrIp: '10.0.0.0/8', Description: 'a' },
          { CidrIp: '11.0.0.0/8', Description: 'b' },
        ],
      }),
    ],
    want: 'same',
  },
  {
    id: 'A29',
    name: 'two descriptions swapped',
    spec: [
      { peers: ['10.0.0.0/8'], description: 'b' },
      { peers: ['11.0.0.0/8'], description: 'a' },
    ],
    cloud: [
      report({
        IpRanges: [
          { CidrIp: '10.0.0.0/8', Description: 'a' },
          { CidrIp: '11.0.0.0/8', Description: 'b' },
        ],
      }),
    ],
    want: 'drift',
  },
  {
    id: 'A31',
    name: 'a group of another account',
    spec: [{ peers: [`group:${other}/sg-9`] }],
    cloud: [report(pair('sg-9', other))],
    want: 'same',
  },
  {
    id: 'A31',
    name: 'that group, of yet another account',
    spec: [{ peers: [`group:${other}/sg-9`] }],
    cloud: [report(pair('sg-9', '222200003333'))],
    want: 'drift',
  },
  { id: 'A32', name: 'itself', spec: [{ peers: [`group:${sg}`] }], cloud: [report(pair(sg))], want: 'same' },
  {
    id: 'A32',
    name: 'itself against another group',
    spec: [{ peers: [`group:${sg}`] }],
    cloud: [report(pair('sg-2'))],
    want: 'drift',
  },
  {
    id: 'A34',
    name: 'a prefix list with a description more',
    spec: [{ peers: ['prefix-list:pl-1'] }],
    cloud: [report({ PrefixListIds: [{ PrefixListId: 'pl-1', Description: 'cdn' }] })],
    want: 'drift',
  },
  {
    id: 'A34',
    name: 'a prefix list with its description',
    spec: [{ peers: ['prefix-list:pl-1'], description: 'cdn' }],
    cloud: [report({ PrefixListIds: [{ PrefixListId: 'pl-1', Description: 'cdn' }] })],
    want: 'same',
  },
  {
    id: 'A35',
    name: 'a block inside another is kept apart',
    spec: [{ peers: ['10.0.0.0/8', '10.1.0.0/16'] }],
    cloud: [report(ten)],
    want: 'drift',
  },
  {
    id: 'tcp',
    name: 'tcp of every port is 0-65535',
    spec: [{ ports: ['all'] }],
    cloud: [report({ ...ten, FromPort: 0, ToPort: 65535 })],
    want: 'same',
  },
];
