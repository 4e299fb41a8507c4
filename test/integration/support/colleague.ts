import {
  AuthorizeSecurityGroupIngressCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
  type IpPermission,
  RevokeSecurityGroupIngressCommand,
  UpdateSecurityGroupRuleDescriptionsIngressCommand,
} from '@aws-sdk/client-ec2';

/** Somebody with access to the account and no wish to read specs: Amazon's own SDK, and nothing of ours. */
export interface Colleague {
  readonly client: EC2Client;
  group(name: string): Promise<string>;
  /** Those that live and are tagged with this tier, in the order of their ids. */
  machines(document: string): Promise<readonly Machine[]>;
  rules: RuleEdits;
  tag(id: string, key: string, value: string): Promise<void>;
  leave(): void;
}

export interface Machine {
  readonly id: string;
  readonly state: string;
  readonly size: string;
}

/** Of the group with this name, inwards. */
export interface RuleEdits {
  add(group: string, rule: IpPermission): Promise<void>;
  remove(group: string, rule: IpPermission): Promise<void>;
  describe(group: string, rule: IpPermission): Promise<void>;
}

export const credentials = { accessKeyId: 'colleague', secretAccessKey: 'colleague' };

export function colleagueAt(endpoint: string, region: string): Colleague {
  const client = new EC2Client({ endpoint, region, credentials });
  const group = async (name: string): Promise<string> => {
    const Filters = [{ Name: 'group-name', Values: [name] }];
    const { SecurityGroups: [found] = [] } = await client.send(new DescribeSecurityGroupsCommand({ Filters }));
    if (found?.GroupId === undefined) throw new Error(`there is no security group ${name}`);
    return found.GroupId;
  };
  const input = async (name: string, rule: IpPermission) => ({ GroupId: await group(name), IpPermissions: [rule] });
  return {
    client,
    group,
    machines: (document) => machines(document, client),
    rules: {
      add: async (name, rule) =>
        void (await client.send(new AuthorizeSecurityGroupIngressCommand(await input(name, rule)))),
      remove: async (name, rule) =>
        void (await client.send(new RevokeSecurityGroupIngressCommand(await input(name, rule)))),
      describe: async (name, rule) =>
        void (await client.send(new UpdateSecurityGroupRuleDescriptionsIngressCommand(await input(name, rule)))),
    },
    tag: async (id, Key, Value) =>
      void (await client.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key, Value }] }))),
    leave: () => client.destroy(),
  };
}

const living = ['pending', 'running', 'stopping', 'stopped'];

async function machines(document: string, client: EC2Client): Promise<readonly Machine[]> {
  const Filters = [
    { Name: 'tag:tier', Values: [document] },
    { Name: 'instance-state-name', Values: living },
  ];
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({ Filters }));
  return Reservations.flatMap(({ Instances = [] }) => Instances)
    .map(({ InstanceId = '', State, InstanceType = '' }) => ({
      id: InstanceId,
      state: State?.Name ?? '',
      size: InstanceType,
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
