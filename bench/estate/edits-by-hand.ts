import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  DeleteTagsCommand,
  DisassociateRouteTableCommand,
  EC2Client,
  EC2ServiceException,
  RevokeSecurityGroupIngressCommand,
  RunInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Region } from '../../sandbox/ec2/region.ts';
import { type Random, randomFrom } from '../world/random.ts';

/** An editor: a client of their own, and the true account, to find objects to edit. */
interface Colleague {
  readonly client: EC2Client;
  readonly region: Region;
  readonly random: Random;
}

/** A colleague who does not know us edits our resources for an afternoon. */
export async function editByHand(url: string, region: Region, seed: number): Promise<void> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ region: region.name, endpoint: url, credentials, maxAttempts: 1 });
  const colleague = { client, region, random: randomFrom(seed) };
  try {
    for (const edit of edits) await edit(colleague).catch(unlessDone);
  } finally {
    client.destroy();
  }
}

/** Somebody did the same another afternoon. */
function unlessDone(error: unknown): void {
  if (!(error instanceof EC2ServiceException && error.name.endsWith('.Duplicate'))) throw error;
}

interface Tagged {
  readonly id: string;
  readonly tags: ReadonlyMap<string, string>;
}

const isOurs = ({ tags }: Tagged): boolean => tags.has('setpoint:estate');

function one<T extends Tagged>(records: Iterable<T>, { random }: Colleague): readonly T[] {
  const ours = [...records].filter(isOurs);
  const at = random.whole(Math.max(1, ours.length));
  return ours.slice(at, at + 1);
}

const machines = ({ region }: Colleague) =>
  [...region.instances.values()].filter(({ power }) => power.state === 'running');

/** Each does nothing where there is nothing of its sort. */
const edits: readonly ((colleague: Colleague) => Promise<unknown>)[] = [
  async (who) => {
    const GroupId = one(who.region.groups.values(), who)[0]?.id;
    const permission = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] };
    if (GroupId === undefined) return;
    await who.client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: [permission] }));
  },
  async (who) => {
    const ours = new Set([...who.region.groups.values()].filter(isOurs).map(({ id }) => id));
    const rule = [...who.region.rules.values()].find(({ groupId, egress }) => !egress && ours.has(groupId));
    if (rule === undefined) return;
    const command = { GroupId: rule.groupId, SecurityGroupRuleIds: [rule.id] };
    await who.client.send(new RevokeSecurityGroupIngressCommand(command));
  },
  async (who) => {
    const Resources = one(who.region.vpcs.values(), who).map(({ id }) => id);
    const Tags = [
      { Key: 'team', Value: 'somebody-else' },
      { Key: 'cost-centre', Value: '42' },
    ];
    await who.client.send(new CreateTagsCommand({ Resources, Tags }));
  },
  async (who) => {
    const Resources = one(machines(who), who).map(({ id }) => id);
    if (Resources.length > 0) await who.client.send(new DeleteTagsCommand({ Resources, Tags: [{ Key: 'tier' }] }));
  },
  async (who) => {
    const InstanceIds = one(machines(who), who).map(({ id }) => id);
    if (InstanceIds.length > 0) await who.client.send(new StopInstancesCommand({ InstanceIds }));
  },
  async (who) => {
    const InstanceIds = one(machines(who), who).map(({ id }) => id);
    if (InstanceIds.length > 0) await who.client.send(new TerminateInstancesCommand({ InstanceIds }));
  },
  async (who) => {
    const tables = [...who.region.routeTables.values()].filter(isOurs);
    const joined = tables.flatMap(({ associations }) => associations).find(({ subnetId }) => subnetId !== undefined);
    if (joined) await who.client.send(new DisassociateRouteTableCommand({ AssociationId: joined.id }));
  },
  async (who) => {
    const [vpc] = one(who.region.vpcs.values(), who);
    const command = { GroupName: 'by-hand', Description: 'made by hand', VpcId: vpc?.id };
    await who.client.send(new CreateSecurityGroupCommand(command));
  },
  async (who) => {
    const [subnet] = one(who.region.subnets.values(), who);
    const command = { ImageId: 'ami-0abcdef1234567890', InstanceType: 't3.micro', MinCount: 1, MaxCount: 1 } as const;
    await who.client.send(new RunInstancesCommand({ ...command, SubnetId: subnet?.id }));
  },
];
