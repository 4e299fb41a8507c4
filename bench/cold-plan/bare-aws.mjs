// A person's own script: asks for the account's number, then for all listings at once, and prints the number of objects.
import {
  EC2Client,
  paginateDescribeInstances,
  paginateDescribeInternetGateways,
  paginateDescribeNetworkAcls,
  paginateDescribeRouteTables,
  paginateDescribeSecurityGroups,
  paginateDescribeSubnets,
  paginateDescribeVolumes,
  paginateDescribeVpcs,
} from '@aws-sdk/client-ec2';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

const [, , endpoint = ''] = process.argv;
const options = { endpoint, region: 'eu-west-1' };
const { Account } = await new STSClient(options).send(new GetCallerIdentityCommand({}));

const client = new EC2Client(options);
const all = { client, pageSize: 1000 };

/** @template T @param {AsyncIterable<T>} pages @param {(page: T) => readonly unknown[] | undefined} held */
async function count(pages, held) {
  let found = 0;
  for await (const page of pages) found += held(page)?.length ?? 0;
  return found;
}

const counts = await Promise.all([
  count(paginateDescribeVpcs(all, {}), ({ Vpcs }) => Vpcs),
  count(paginateDescribeInternetGateways(all, {}), ({ InternetGateways }) => InternetGateways),
  count(paginateDescribeRouteTables({ client, pageSize: 100 }, {}), ({ RouteTables }) => RouteTables),
  count(paginateDescribeSubnets(all, {}), ({ Subnets }) => Subnets),
  count(paginateDescribeSecurityGroups(all, {}), ({ SecurityGroups }) => SecurityGroups),
  count(paginateDescribeInstances(all, {}), ({ Reservations }) => Reservations),
  count(paginateDescribeVolumes(all, {}), ({ Volumes }) => Volumes),
  count(paginateDescribeNetworkAcls(all, {}), ({ NetworkAcls }) => NetworkAcls),
]);
process.stdout.write(`${Account} ${counts.join(' ')}\n`);
