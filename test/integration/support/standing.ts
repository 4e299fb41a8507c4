import {
  DescribeInstancesCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';

/** The ids of everything in the region that a network or a machine is made of; machines that have ended apart. */
export async function standing(client: EC2Client): Promise<readonly string[]> {
  const { Vpcs = [] } = await client.send(new DescribeVpcsCommand({}));
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({}));
  const { SecurityGroups = [] } = await client.send(new DescribeSecurityGroupsCommand({}));
  const { InternetGateways = [] } = await client.send(new DescribeInternetGatewaysCommand({}));
  const { RouteTables = [] } = await client.send(new DescribeRouteTablesCommand({}));
  const { Volumes = [] } = await client.send(new DescribeVolumesCommand({}));
  const { Reservations = [] } = await client.send(new DescribeInstancesCommand({}));
  const machines = Reservations.flatMap(({ Instances = [] }) => Instances);
  return [
    ...Vpcs.map(({ VpcId }) => VpcId),
    ...Subnets.map(({ SubnetId }) => SubnetId),
    ...SecurityGroups.map(({ GroupId }) => GroupId),
    ...InternetGateways.map(({ InternetGatewayId }) => InternetGatewayId),
    ...RouteTables.map(({ RouteTableId }) => RouteTableId),
    ...Volumes.map(({ VolumeId }) => VolumeId),
    ...machines.filter(({ State }) => State?.Name !== 'terminated').map(({ InstanceId }) => InstanceId),
  ]
    .flatMap((id) => id ?? [])
    .toSorted();
}
