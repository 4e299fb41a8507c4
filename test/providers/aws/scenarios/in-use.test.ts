import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';
import { namesUnlisted } from '../../../support/engine-world/laws.ts';

test('a subnet that something unlisted stands in: the refusal quotes EC2 and names the interface', async () => {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  await using world = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  await namesUnlisted(world, {
    put: async () => {
      const { interfaces, subnets } = world.sandbox.control.ec2.region(account, region);
      const app = [...subnets.values()].find(({ cidr }) => cidr === '10.20.1.0/24') ?? assert.fail('there is no app');
      interfaces.put({
        id: 'eni-0123456789abcdef0',
        tags: new Map(),
        place: { subnetId: app.id, vpcId: app.vpcId, zone: app.zone },
        groups: [],
        address: { privateIp: '10.20.1.200', publicIp: undefined, mac: '02:00:00:00:00:01', ipv6: [] },
        attachment: undefined,
        description: 'RDSNetworkInterface',
        requester: { id: 'amazon-rds', managed: true, type: 'interface', sourceDestCheck: true },
      });
    },
    code: /DependencyViolation/,
    name: /There stands eni-0123456789abcdef0 \(RequesterId amazon-rds, "RDSNetworkInterface"\)\./,
    subnet: 'subnet/core.app',
    reading: 'DescribeNetworkInterfaces',
  });
});
