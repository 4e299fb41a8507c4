import {
  AuthorizeSecurityGroupIngressCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';

/** Somebody with access to AWS and no wish to read specs: Amazon's own SDK, and nothing of ours. */
export interface AwsColleague {
  /** Opens a port to the world in the security group of this name. */
  open(group: string, port: number): Promise<void>;
  /** Tags the one machine that has this tag. */
  tag(tag: Tag, change: Tag): Promise<void>;
  leave(): void;
}

export interface Tag {
  readonly key: string;
  readonly value: string;
}

export function awsColleague(endpoint: string): AwsColleague {
  const client = new EC2Client({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  return {
    open: async (group, port) => {
      const { SecurityGroups: [found] = [] } = await client.send(
        new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: [group] }] }),
      );
      if (found?.GroupId === undefined) throw new Error(`there is no security group ${group}`);
      const IpPermissions = [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
      await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: found.GroupId, IpPermissions }));
    },
    tag: async (tag, change) => {
      const Filters = [{ Name: `tag:${tag.key}`, Values: [tag.value] }];
      const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ Filters }));
      const id = Reservations[0]?.Instances?.[0]?.InstanceId;
      if (id === undefined) throw new Error(`no machine is tagged ${tag.key}=${tag.value}`);
      await client.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: change.key, Value: change.value }] }));
    },
    leave: () => client.destroy(),
  };
}
