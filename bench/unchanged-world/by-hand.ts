import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Region } from '../../sandbox/ec2/region.ts';

/** Somebody at the same account, and the account as it truly is, to find what to touch. */
export interface Hand {
  readonly client: EC2Client;
  readonly region: Region;
}

export async function withHand<T>(url: string, region: Region, work: (hand: Hand) => Promise<T>): Promise<T> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ region: region.name, endpoint: url, credentials, maxAttempts: 1 });
  try {
    return await work({ client, region });
  } finally {
    client.destroy();
  }
}

interface Tagged {
  readonly id: string;
  readonly tags: ReadonlyMap<string, string>;
}

const isOurs = ({ tags }: Tagged): boolean => tags.has('setpoint:estate');
const foreign = (records: Iterable<Tagged>): readonly string[] =>
  [...records].filter((one) => !isOurs(one)).map(({ id }) => id);

/** Everything in the account that is nobody's or another's. */
export const foreignIds = ({ vpcs, subnets, groups, instances }: Region): readonly string[] =>
  [vpcs, subnets, groups, instances].flatMap((table) => foreign(table.values()));

/** In turn, as often as asked: each is something that no plan of ours rests on. `n` makes it new each time. */
const unrelated: readonly ((hand: Hand, n: number) => Promise<unknown>)[] = [
  ({ client, region }, n) => tag(client, foreign(region.vpcs.values()), { Key: `note-${n}`, Value: 'seen' }),
  ({ client, region }, n) => tag(client, foreign(region.instances.values()), { Key: 'owner', Value: `team-${n}` }),
  ({ client, region }, n) =>
    client.send(
      new CreateSecurityGroupCommand({
        GroupName: `by-hand-${n}`,
        Description: 'made by hand',
        VpcId: foreign(region.vpcs.values())[0],
      }),
    ),
  ({ client, region }, n) => open(client, foreign(region.groups.values())[0], n),
  ({ client, region }) =>
    client.send(
      new RunInstancesCommand({
        ImageId: 'ami-0abcdef1234567890',
        InstanceType: 't3.micro',
        MinCount: 1,
        MaxCount: 1,
        SubnetId: foreign(region.subnets.values())[0],
      }),
    ),
  ({ client, region }, n) => open(client, groupNamed(region, `net-0-g${n % 2}`), n),
  ({ client, region }, n) => tag(client, machinesAt(region, other), { Key: 'tier', Value: `drifted-${n}` }),
  ({ client, region }, n) => tag(client, machinesAt(region, planned), { Key: `note-${n}`, Value: 'seen' }),
];

const planned = '/instance/web-0-0';
const other = '/instance/web-0-1';

/** Exactly `count` changes that have nothing to do with any planned action, though some are next to one. */
export async function touchUnrelated(hand: Hand, count: number, round: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await unrelated[i % unrelated.length]?.(hand, round * count + i);
}

/** The before-value of one planned update moves. Answers which: its address's last part. */
export async function touchRelated({ client, region }: Hand): Promise<string> {
  const [first = ''] = machinesAt(region, planned).filter((id) => region.instances.get(id)?.launch.index === 0);
  await tag(client, [first], { Key: 'tier', Value: 'somebody-else' });
  return `${planned}-0`;
}

const tag = (client: EC2Client, Resources: readonly string[], Tag: { Key: string; Value: string }): Promise<unknown> =>
  client.send(new CreateTagsCommand({ Resources: [...Resources], Tags: [Tag] }));

const open = (client: EC2Client, GroupId: string | undefined, n: number): Promise<unknown> =>
  client.send(
    new AuthorizeSecurityGroupIngressCommand({
      GroupId,
      IpPermissions: [
        { IpProtocol: 'tcp', FromPort: 20_000 + n, ToPort: 20_000 + n, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
      ],
    }),
  );

const groupNamed = (region: Region, name: string): string | undefined =>
  [...region.groups.values()].find((group) => group.name === name)?.id;

const machinesAt = (region: Region, document: string): readonly string[] =>
  [...region.instances.values()]
    .filter(({ tags }) => tags.get('setpoint:address')?.endsWith(document))
    .map(({ id }) => id);
