import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  type EC2Client,
  RevokeSecurityGroupIngressCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { type Estate, openEstate } from './estate.ts';

const machine = (name: string, network: string, more: object) => ({
  kind: 'Instance',
  metadata: { name, owner: `team-${name}`, labels: { tier: name } },
  spec: {
    ...{ targets: ['aws'], network, subnet: 'app', image: 'ami-0abcdef1234567890', size: 't3.small' },
    ...{ disk: { size: 20 } },
    ...more,
  },
});

/** A machine that the internet reaches, and one in a private network, besides those of `openEstate`. */
const documents = [
  {
    kind: 'Network',
    metadata: { name: 'edge', owner: 'team-net' },
    spec: {
      ...{ targets: ['aws'], cidr: '10.1.0.0/16', internet: true },
      subnets: [{ name: 'app', cidr: '10.1.1.0/24' }],
    },
  },
  {
    kind: 'FirewallRule',
    metadata: { name: 'front', owner: 'team-front' },
    spec: { network: 'edge', protocol: 'tcp', ports: [443], group: 'front', peers: { cidrs: ['0.0.0.0/0'] } },
  },
  machine('front', 'edge', { groups: ['front'], publicIp: true }),
  machine('db', 'core', { groups: ['web'] }),
];

export const [bob, eve] = ['arn:aws:iam::111122223333:user/bob', 'arn:aws:iam::111122223333:user/eve'];

export interface DriftedEstate extends Estate {
  /** Closes the opened port, and waits until Setpoint has observed that. */
  closePort(): Promise<void>;
}

const ssh = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] };
const https = { IpProtocol: 'tcp', FromPort: 443, ToPort: 443, IpRanges: [{ CidrIp: '0.0.0.0/0' }] };

/** Bob opened a port of `front` to the internet, eve tagged each machine; somebody closed a port of `web` and ended `db-0`. */
export async function openDriftedEstate(): Promise<DriftedEstate> {
  const estate = await openEstate(documents);
  const { cloud } = estate;
  const [front, web] = [await groupOf(cloud, 'front'), await groupOf(cloud, 'web')];
  await cloud.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: front, IpPermissions: [ssh] }));
  await estate.audited(bob, 'AuthorizeSecurityGroupIngress', [front]);
  await cloud.send(new RevokeSecurityGroupIngressCommand({ GroupId: web, IpPermissions: [https] }));
  const machines = await machinesOf(cloud);
  const ids = [...machines.values()];
  await cloud.send(new CreateTagsCommand({ Resources: ids, Tags: [{ Key: 'tier', Value: 'eves' }] }));
  await estate.audited(eve, 'CreateTags', ids);
  await cloud.send(new TerminateInstancesCommand({ InstanceIds: [machines.get('db-0') ?? ''] }));
  await observed(estate, (drift) => drift.includes(opened) && drift.includes('db-0'));
  return {
    ...estate,
    closePort: async () => {
      await cloud.send(new RevokeSecurityGroupIngressCommand({ GroupId: front, IpPermissions: [ssh] }));
      await observed(estate, (drift) => !drift.includes(opened));
    },
  };
}

const opened = 'edge.front.ingress.tcp.22';

/** A request can join a reconcile that has observed already, and requests that follow one another fast put it off. */
async function observed({ url, token, reconcile }: Estate, isSeen: (drift: string) => boolean): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (let second = 0; second < 120; second += 1) {
    if (second % 45 === 0) await reconcile();
    await sleep(1_000);
    const answer = await fetch(`${url}/v1/drift`, { headers });
    if (answer.ok && isSeen(await answer.text())) return;
  }
  throw new Error('no reconcile has found the change');
}

async function groupOf(cloud: EC2Client, name: string): Promise<string> {
  const { SecurityGroups: all = [] } = await cloud.send(new DescribeSecurityGroupsCommand({}));
  const found = all.find(({ GroupName = '', Tags = [] }) =>
    [GroupName, ...Tags.map(({ Value = '' }) => Value)].some((text) => new RegExp(`[.-]${name}$`).test(text)),
  );
  if (found?.GroupId === undefined) throw new Error(`no group ${name} in ${JSON.stringify(all)}`);
  return found.GroupId;
}

async function machinesOf(cloud: EC2Client): Promise<ReadonlyMap<string, string>> {
  const { Reservations: found = [] } = await cloud.send(new DescribeInstancesCommand({}));
  const all = found.flatMap(({ Instances: some = [] }) => some);
  return new Map(
    all.map(({ InstanceId = '', Tags = [] }) => [Tags.find(({ Key }) => Key === 'Name')?.Value ?? '', InstanceId]),
  );
}
