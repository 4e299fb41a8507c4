import type { BatchLimits } from '../../src/core/batches.ts';
import type { Budget, Cost, Request } from '../../src/ports/limiter.ts';

/**
 * EC2's published rate limits, per account, region and action. Some actions also take from a second bucket, one token for each
 * instance. Every action that this provider calls is a row here; an action without a row does not compile.
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
 */
const throttling = 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html';
const sts = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html';

const bucket = (capacity: number, perSecond: number, source: string): Budget => ({
  shape: 'bucket',
  capacity,
  perSecond,
  source,
});

const reading = bucket(100, 20, `${throttling}#throttling-limits-rate-based`);
const unfiltered = bucket(50, 10, `${throttling}#throttling-limits-rate-based`);
const mutating = bucket(50, 5, `${throttling}#throttling-limits-rate-based`);
const intensive = bucket(50, 5, `${throttling}#throttling-limits-rate-based`);
const tagging = bucket(100, 10, `${throttling}#throttling-limits-rate-based`);
const launching = bucket(5, 2, `${throttling}#throttling-limits-rate-based`);
const terminating = bucket(100, 5, `${throttling}#throttling-limits-rate-based`);

const instances = (perSecond: number): Budget => ({
  shape: 'bucket',
  capacity: 1000,
  perSecond,
  source: `${throttling}#throttling-limits-cost-based`,
  counts: 'resources',
});
const slowInstances = instances(2);
const fastInstances = instances(20);

interface Row {
  readonly budget: Budget;
  /** A second bucket, in instances. */
  readonly instances?: Budget;
  /** A second bucket, of the requests that say neither a filter nor the size of a page. */
  readonly unfiltered?: Budget;
  /** Sent twice it makes two: an answer that went missing, or a server error, must not be followed by another try. */
  readonly makesTwins?: true;
}

const read: Row = { budget: reading };
/**
 * "when requested without specifying either pagination or a filter, use tokens from smaller token buckets". Ids are neither by
 * the letter of that, and nobody says that they count as one: such a read is counted in both.
 */
const narrowable: Row = { budget: reading, unfiltered };
const write: Row = { budget: mutating };

export const actions = {
  GetCallerIdentity: { budget: bucket(600, 600, sts) },

  DescribeVpcs: read,
  DescribeInternetGateways: read,
  DescribeRouteTables: read,
  DescribeSubnets: read,
  DescribeNatGateways: read,
  DescribeVpcPeeringConnections: read,
  DescribeNetworkAcls: read,
  DescribeSecurityGroups: narrowable,
  DescribeInstances: narrowable,
  DescribeInstanceStatus: narrowable,
  DescribeVolumes: narrowable,
  DescribeImages: read,
  DescribeInstanceTypeOfferings: read,
  DescribeNetworkInterfaces: narrowable,
  DescribeIamInstanceProfileAssociations: read,

  CreateVpc: { budget: mutating, makesTwins: true },
  DeleteVpc: write,
  CreateInternetGateway: { budget: mutating, makesTwins: true },
  AttachInternetGateway: write,
  DetachInternetGateway: write,
  DeleteInternetGateway: write,
  CreateRouteTable: write,
  DeleteRouteTable: write,
  CreateRoute: write,
  ReplaceRoute: write,
  AssociateRouteTable: write,
  DisassociateRouteTable: write,
  ReplaceRouteTableAssociation: write,
  CreateSubnet: write,
  DeleteSubnet: write,
  CreateSecurityGroup: write,
  DeleteSecurityGroup: write,

  AuthorizeSecurityGroupIngress: { budget: intensive },
  RevokeSecurityGroupIngress: { budget: intensive },
  AuthorizeSecurityGroupEgress: write,
  RevokeSecurityGroupEgress: write,
  UpdateSecurityGroupRuleDescriptionsIngress: write,
  UpdateSecurityGroupRuleDescriptionsEgress: write,

  RunInstances: { budget: launching, instances: slowInstances },
  StartInstances: { budget: launching, instances: slowInstances },
  StopInstances: { budget: mutating, instances: fastInstances },
  TerminateInstances: { budget: terminating, instances: fastInstances },
  ModifyInstanceAttribute: write,
  ModifyVolume: write,
  AssociateIamInstanceProfile: write,
  ReplaceIamInstanceProfileAssociation: write,
  DisassociateIamInstanceProfile: write,

  CreateTags: { budget: tagging },
  DeleteTags: { budget: tagging },
} as const satisfies Readonly<Record<string, Row>>;

export type Action = keyof typeof actions;

/** The differences between requests of an action, as far as EC2 counts them. `instances`: the number of instances in it. */
interface Asked {
  readonly instances?: number;
  readonly unfiltered?: boolean;
}

/** True where a request has neither a page size nor a filter. */
export const isUnfiltered = (input: object): boolean =>
  !['MaxResults', 'NextToken', 'Filters'].some((field) => Reflect.get(input, field) !== undefined);

/** `scope` is the prefix of all limits that the cloud counts together: `aws/<account>/<region>`. */
export function requestFor(scope: string, action: Action, asked: Asked = {}): Request {
  const row: Row = actions[action];
  const cost = (rateLimit: string, budget: Budget, amount: number): Cost => ({
    rateLimit: { key: `${scope}/${rateLimit}`, budget },
    amount,
  });
  const costs = [cost(action, row.budget, 1)];
  if (row.unfiltered && asked.unfiltered) costs.push(cost(`${action}:unfiltered`, row.unfiltered, 1));
  if (row.instances) costs.push(cost(`${action}:instances`, row.instances, asked.instances ?? 0));
  return { action, mutating: !/^(Describe|Get)/.test(action), costs };
}

/** Most things one call takes. */
export const most = {
  /**
   * 5–1000 of nearly every Describe: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcs.html,
   * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeNatGateways.html,
   * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeVpcPeeringConnections.html,
   * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeNetworkAcls.html
   */
  page: 1000,
  /** "up to 200 values in a single request": https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html */
  filterValues: 200,
  /** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeRouteTables.html: 5–100 */
  routeTablePage: 100,
  /** Not documented; what others use safely: https://github.com/kubernetes/cloud-provider-aws */
  idsToRead: 500,
  /** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceStatus.html */
  idsToCheck: 100,
  /** Rules per security group and direction: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html#vpc-limits-security-groups */
  rules: 60,
  /** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html: up to 1000 resources */
  tagged: 1000,
  /** "five separate launch requests for 100 instances each instead of one launch request for 500",
   * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html */
  launched: 100,
  /** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_TerminateInstances.html: up to 1000 */
  terminated: 1000,
} as const;

/**
 * Setpoint's bounds for reading one answer. EC2 sends no answer over them: its pages have at most 1,000 items.
 *
 *   bound | is     | and this is known
 *   ------+--------+----------------------------------------------------------------------------------------------
 *   bytes | 32 MiB | a page of 1,000 instances has 5 MB
 *   items | 20,000 | of one list: a page has 1,000, a group 1,000 rules, a network interface 50 addresses
 *   text  | 1 MiB  | of one element: user data is the longest, 16 KB before base64
 *         |        | (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html)
 */
export const bounds = { bytes: 32 * 1024 * 1024, items: 20_000, text: 1024 * 1024 } as const;

/** For the message about an answer beyond them. The reader of answers does not know their action. */
export const asked = { cloud: 'AWS', action: 'a call of EC2' } as const;

/** The number of actions that one call may carry. Networks, subnets and groups are made one by one. */
export const batches: BatchLimits = {
  'firewall-rule/create': most.rules,
  'firewall-rule/update': most.rules,
  'firewall-rule/delete': most.rules,
  'network/adopt': most.tagged,
  'subnet/adopt': most.tagged,
  'group/adopt': most.tagged,
  'instance/adopt': most.tagged,
  'network/update': most.tagged,
  'subnet/update': most.tagged,
  'group/update': most.tagged,
  'instance/create': most.launched,
  'instance/update': most.tagged,
  'instance/delete': most.terminated,
};
