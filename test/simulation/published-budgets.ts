/** One token bucket, as published: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html */
export interface PublishedBudget {
  readonly action: string;
  readonly counts: 'calls' | 'machines';
  readonly capacity: number;
  readonly perSecond: number;
}

const describing = [
  ...['ListNetworks', 'ListGateways', 'ListRouteTables', 'ListSubnets', 'ListGroups', 'ListRules', 'ListInstances'],
  ...['DescribeRules', 'ListOffers'],
];
const mutating = [
  ...['CreateNetwork', 'DeleteNetwork', 'CreateSubnet', 'DeleteSubnet', 'CreateGroup', 'DeleteGroup'],
  ...['CreateGateway', 'AttachGateway', 'DetachGateway', 'DeleteGateway', 'CreateRouteTable', 'CreateRoute'],
  ...['DeleteRouteTable', 'AssociateRouteTable', 'DisassociateRouteTable', 'AuthorizeRules', 'RevokeRules'],
  ...['TerminateInstances', 'StopInstances', 'ResizeInstance', 'SetIdentity', 'ModifyDisk', 'SetInstanceGroups'],
];

/**
 * The budgets of the cloud in memory, with the figures of EC2. They are not imported from the provider, so that a test finds a
 * wrong figure there.
 */
export const publishedBudgets: readonly PublishedBudget[] = [
  ...calls(describing, 100, 20),
  ...calls(mutating, 50, 5),
  ...calls(['TagObjects', 'UntagObjects'], 100, 10),
  ...calls(['RunInstances', 'StartInstances'], 5, 2),
  ...machines(['RunInstances', 'StartInstances'], 1000, 2),
  ...machines(['TerminateInstances', 'StopInstances'], 1000, 20),
];

function calls(actions: readonly string[], capacity: number, perSecond: number): readonly PublishedBudget[] {
  return actions.map((action) => ({ action, counts: 'calls', capacity, perSecond }));
}

function machines(actions: readonly string[], capacity: number, perSecond: number): readonly PublishedBudget[] {
  return actions.map((action) => ({ action, counts: 'machines', capacity, perSecond }));
}
