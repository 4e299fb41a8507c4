import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IpPermission, SecurityGroup } from '@aws-sdk/client-ec2';
import { dialect } from '../../../providers/aws/dialect.ts';
import { groupOrigin } from '../../../providers/aws/group.ts';
import { type Atom, atomId, atomsOf, writePermission } from '../../../providers/aws/permission.ts';
import { formatCidr, parseCidr } from '../../../src/core/cidr.ts';
import type { RuleDraft } from '../../../src/core/compile/dialect.ts';

import { account, report, ruleCases, type Said, sg, v4 } from './rule-cases.ts';

/** As the spec layer hands it over: blocks canonical, groups resolved. */
const draftOf = ({ protocol = 'tcp', ports = ['443'], peers = ['10.0.0.0/8'], description = '' }: Said): RuleDraft => ({
  name: 'web-https',
  network: 'vpc-1',
  group: sg,
  base: { direction: 'ingress', action: 'allow', protocol },
  traffic: {
    ports,
    peers: peers.map((peer) => {
      const cidr = parseCidr(peer);
      return cidr ? formatCidr(cidr) : peer;
    }),
  },
  extra: { description, priority: 1000, disabled: false, log: false },
});

function wanted(said: readonly Said[]): readonly string[] {
  const atoms = said.flatMap((each) => dialect.rules.atoms(draftOf(each)));
  return atoms.map(({ attributes: { match, description } }) => `${atomId(sg, match)} "${description}"`).toSorted();
}

function seen(IpPermissions: IpPermission[]): readonly string[] {
  const atoms = atomsOf({ GroupId: sg, VpcId: 'vpc-1', IpPermissions }, account);
  return atoms.map(({ id, attributes }) => `${id} "${attributes.description}"`).toSorted();
}

const ten = v4('10.0.0.0/8');

describe('rules: same or drift', () => {
  for (const { id, name, spec, cloud, want } of ruleCases) {
    test(`${id}: ${name}: ${want}`, () => {
      if (want === 'same') assert.deepEqual(seen(cloud), wanted(spec));
      else assert.notDeepEqual(seen(cloud), wanted(spec));
    });
  }
});

describe('the words in which a rule is revoked', () => {
  const only = (permission: IpPermission): Atom | undefined =>
    atomsOf({ GroupId: sg, IpPermissions: [permission] }, account)[0];

  test('ours, where the cloud says the same', () => assert.deepEqual(only(report(ten))?.spelled, []));
  test('the cloud’s own, where they differ', () =>
    assert.deepEqual(only(report(v4('192.168.0.1/31', 'old')))?.spelled, [report(v4('192.168.0.1/31'))]));
  test('both, where the cloud holds one rule twice', () => {
    const atoms = atomsOf(
      { GroupId: sg, IpPermissions: [report(v4('192.168.0.1/31')), report(v4('192.168.0.0/31'))] },
      account,
    );
    assert.equal(atoms.length, 1);
    assert.deepEqual(
      atoms[0]?.spelled.map(({ IpRanges }) => IpRanges?.[0]?.CidrIp),
      ['192.168.0.1/31', '192.168.0.0/31'],
    );
  });
});

describe('a peer that is a group by its name (EC2-Classic)', () => {
  const named: readonly { readonly name: string; readonly pair: Pair; readonly peer: string }[] = [
    {
      name: 'of a load balancer of EC2-Classic',
      pair: { UserId: 'amazon-elb', GroupName: 'amazon-elb-sg' },
      peer: 'group:amazon-elb/amazon-elb-sg',
    },
    {
      name: 'of another account',
      pair: { UserId: '999900001111', GroupName: 'web tier/a' },
      peer: 'group:999900001111/web tier/a',
    },
    { name: 'of this account', pair: { UserId: account, GroupName: 'default' }, peer: `group:${account}/default` },
    { name: 'of nobody named', pair: { GroupName: 'default' }, peer: `group:${account}/default` },
    {
      name: 'with an id too',
      pair: { UserId: 'amazon-elb', GroupId: 'sg-843f59ed', GroupName: 'amazon-elb-sg' },
      peer: 'group:amazon-elb/sg-843f59ed',
    },
    {
      name: 'of a peered VPC',
      pair: {
        UserId: '999900001111',
        GroupId: 'sg-9',
        VpcId: 'vpc-9',
        VpcPeeringConnectionId: 'pcx-9',
        PeeringStatus: 'active',
      },
      peer: 'group:999900001111/sg-9',
    },
    {
      name: 'of a peered VPC, gone and nameless',
      pair: { UserId: '999900001111', VpcPeeringConnectionId: 'pcx-9', PeeringStatus: 'deleted' },
      peer: 'group:999900001111/pcx-9',
    },
  ];
  for (const { name, pair, peer } of named) {
    const IpPermissions = [report({ UserIdGroupPairs: [{ ...pair, Description: 'd' }] })];
    const atom = () => atomsOf({ GroupId: sg, VpcId: 'vpc-1', IpPermissions }, account)[0];
    test(`${name}: it is ${peer}`, () => assert.deepEqual(atom()?.attributes.match.peers, [peer]));
    test(`${name}: it is revoked as the cloud holds it`, () => {
      const revoked = atom()?.spelled[0]?.UserIdGroupPairs?.[0] ?? writtenPair(peer);
      const { GroupId, GroupName, UserId = account, VpcPeeringConnectionId } = { ...pair };
      const asked = { ...revoked, UserId: revoked?.UserId ?? account };
      assert.equal(asked.UserId, UserId);
      assert.equal(asked.GroupId, GroupId);
      if (GroupId === undefined) assert.equal(asked.GroupName, GroupName);
      if (GroupId === undefined && GroupName === undefined)
        assert.equal(asked.VpcPeeringConnectionId, VpcPeeringConnectionId);
    });
  }
  test('two names of one account are two rules', () => {
    const IpPermissions = [report({ UserIdGroupPairs: [{ GroupName: 'a' }, { GroupName: 'b' }] })];
    assert.equal(atomsOf({ GroupId: sg, IpPermissions }, account).length, 2);
  });
  test('what is read of a name is written as a name', () =>
    assert.deepEqual(writtenPair('group:amazon-elb/amazon-elb-sg'), {
      UserId: 'amazon-elb',
      GroupName: 'amazon-elb-sg',
    }));
});

type Pair = NonNullable<IpPermission['UserIdGroupPairs']>[number];

const writtenPair = (peer: string): Pair | undefined =>
  writePermission({ direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: [peer] }, '')
    .UserIdGroupPairs?.[0];

describe('egress that nobody wrote (A37, A38)', () => {
  const born: SecurityGroup = {
    GroupId: sg,
    VpcId: 'vpc-1',
    IpPermissionsEgress: [{ IpProtocol: '-1', ...v4('0.0.0.0/0') }],
  };
  const stray = (egress: 'allow' | 'deny'): readonly string[] => {
    const allowed = dialect.rules.defaults({ network: 'vpc-1', groups: [sg], default: { ingress: 'deny', egress } });
    const known = new Set(allowed.map(({ attributes }) => atomId(sg, attributes.match)));
    return atomsOf(born, account)
      .map(({ id }) => id)
      .filter((id) => !known.has(id));
  };
  test('is what a group is born with: same', () => assert.deepEqual(stray('allow'), []));
  test('is drift where the spec denies egress', () =>
    assert.deepEqual(stray('deny'), ['sg-1/egress/all/all/0.0.0.0/0']));
});

test('A40: the VPC’s own default group is there by the cloud’s doing', () =>
  assert.equal(groupOrigin({ GroupName: 'default', VpcId: 'vpc-1' }, '1')?.why, 'provider-default'));
