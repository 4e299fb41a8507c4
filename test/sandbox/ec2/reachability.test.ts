import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { ACCOUNT, type Bench, bench, given, pass, REGION } from '../bench.ts';
import { smallEstate } from './estates.ts';

const ID = {
  web: 'i-0000000a',
  db: 'i-0000000b',
  hidden: 'i-0000000c',
  off: 'i-0000000d',
  far: 'i-0000000e',
  peer: 'i-0000000f',
  inner: 'i-00000010',
  both: 'i-00000011',
} as const;

const nat = 'nat-0000000a';

/** The small estate's network with other machines in it. */
function estate(): unknown {
  const { regions } = smallEstate() as { readonly regions: readonly { readonly vpcs: readonly object[] }[] }; // why: the fixture's own form
  const instances = [
    { id: ID.web, subnet: 'app', groups: ['web'], publicIp: true },
    { id: ID.db, subnet: 'db', groups: ['data'] },
    { id: ID.hidden, subnet: 'app', groups: ['web'] },
    { id: ID.off, subnet: 'app', groups: ['web'], state: 'stopped', publicIp: true },
    { id: ID.peer, subnet: 'out', groups: ['mixed'], publicIp: true },
    { id: ID.inner, subnet: 'back', groups: ['mixed'] },
    { id: ID.both, subnet: 'back', groups: ['mixed'], publicIp: true },
    { id: ID.far, subnet: 'elsewhere', groups: ['foreign'], publicIp: true },
  ];
  const peer = {
    key: 'peer',
    cidr: '10.8.0.0/16',
    gateway: {},
    subnets: [
      { key: 'out', cidr: '10.8.1.0/24' },
      { key: 'back', cidr: '10.8.2.0/24' },
    ],
    routeTables: [
      { subnets: ['out'], routes: [{ to: '0.0.0.0/0', via: 'gateway' }] },
      { subnets: ['back'], routes: [{ to: '0.0.0.0/0', via: nat }] },
    ],
    groups: [
      {
        key: 'mixed',
        ingress: [
          { protocol: 'tcp', ports: '22', peers: ['10.0.0.0/16'] },
          { protocol: 'tcp', ports: '443', peers: ['0.0.0.0/0'] },
        ],
      },
    ],
  };
  const natGateways = [{ id: nat, subnet: 'out' }];
  return { regions: [{ ...regions[0], vpcs: [...(regions[0]?.vpcs ?? []), peer], instances, natGateways }] };
}

interface Row {
  readonly ask: { readonly from: string; readonly to: string; readonly protocol?: string; readonly port?: number };
  /** The reason why the packet is stopped; undefined when it arrives. */
  readonly stop: RegExp | undefined;
}

const rows: readonly Row[] = [
  { ask: { from: 'internet', to: ID.web, port: 443 }, stop: undefined },
  { ask: { from: 'internet', to: ID.web, port: 80 }, stop: /^security groups of i-0000000a, ingress/ },
  { ask: { from: 'internet', to: ID.web, protocol: 'udp', port: 443 }, stop: /ingress/ },
  { ask: { from: '198.51.100.7', to: ID.web, port: 443 }, stop: undefined },
  { ask: { from: 'internet', to: ID.hidden, port: 443 }, stop: /^public address/ },
  { ask: { from: 'internet', to: ID.off, port: 443 }, stop: /^receiver runs/ },
  { ask: { from: 'internet', to: ID.db, port: 5432 }, stop: /^route back/ },
  { ask: { from: 'internet', to: ID.far, port: 443 }, stop: /^route back/ },
  { ask: { from: ID.web, to: ID.db, port: 5432 }, stop: undefined },
  { ask: { from: ID.hidden, to: ID.db, port: 5432 }, stop: undefined },
  { ask: { from: ID.web, to: ID.db, port: 5433 }, stop: /^security groups of i-0000000b, ingress/ },
  { ask: { from: ID.db, to: ID.web, port: 443 }, stop: /^security groups of i-0000000b, egress/ },
  { ask: { from: ID.off, to: ID.db, port: 5432 }, stop: /^sender runs/ },
  { ask: { from: ID.web, to: 'internet', port: 443 }, stop: undefined },
  { ask: { from: ID.hidden, to: 'internet', port: 443 }, stop: /^public address/ },
  { ask: { from: ID.db, to: 'internet', port: 443 }, stop: /egress/ },
  { ask: { from: ID.far, to: ID.web, port: 443 }, stop: /^route to/ },
  { ask: { from: ID.web, to: ID.peer, port: 443 }, stop: undefined },
  { ask: { from: ID.web, to: ID.peer, port: 22 }, stop: /^security groups of i-0000000f, ingress/ },
  { ask: { from: ID.inner, to: 'internet', port: 443 }, stop: undefined },
  { ask: { from: 'internet', to: ID.inner, port: 443 }, stop: /^way in through nat-/ },
  { ask: { from: 'internet', to: ID.both, port: 443 }, stop: /^way in through nat-/ },
  { ask: { from: ID.peer, to: ID.inner, port: 443 }, stop: undefined },
  { ask: { from: 'internet', to: 'i-0ffffff0', port: 443 }, stop: /^ends/ },
];

const packet = ({ sandbox }: Bench, { protocol = 'tcp', port, ...ends }: Row['ask']) =>
  sandbox.control.ec2.packet({ account: ACCOUNT, region: REGION }, { ...ends, protocol, port });

describe('the packet check', () => {
  for (const { ask, stop } of rows) {
    it(`${ask.from} → ${ask.to} ${ask.protocol ?? 'tcp'}/${ask.port}: ${stop ? `stopped at ${stop}` : 'arrives'}`, async () => {
      await using made = await bench({ estate: estate() });
      const { allowed, steps } = packet(made, ask);
      const last = given(steps.at(-1));
      assert.equal(allowed, stop === undefined, JSON.stringify(steps));
      if (stop) assert.match(last.gate, stop);
    });
  }

  it('follows what clients change', async () => {
    await using made = await bench({ estate: estate() });
    const http = { from: 'internet', to: ID.web, port: 80 };
    const IpPermissions = [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '203.0.113.0/24' }] }];
    await made.ec2.send(new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: 'sg-00000001', IpPermissions }));
    assert.equal(packet(made, http).allowed, true);
    assert.equal(packet(made, { ...http, from: '198.51.100.7' }).allowed, false);
    await made.ec2.send(
      new aws.DeleteRouteCommand({ RouteTableId: 'rtb-00000001', DestinationCidrBlock: '0.0.0.0/0' }),
    );
    assert.match(given(packet(made, http).steps.at(-1)).gate, /^route back/);
  });

  it('knows ICMP by type, and a machine by what it has become', async () => {
    await using made = await bench({ estate: estate() });
    const IpPermissions = [{ IpProtocol: 'icmp', FromPort: 8, ToPort: -1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
    await made.ec2.send(new aws.AuthorizeSecurityGroupIngressCommand({ GroupId: 'sg-00000001', IpPermissions }));
    const ping = (port: number) => packet(made, { from: 'internet', to: ID.web, protocol: 'icmp', port }).allowed;
    assert.deepEqual([ping(8), ping(3)], [true, false]);
    await made.ec2.send(new aws.StopInstancesCommand({ InstanceIds: [ID.web] }));
    pass(made, 60_000);
    assert.equal(ping(8), false);
  });
});
