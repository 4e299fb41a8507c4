import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importRecorded } from '../../bench/import-recorded.ts';
import { inScratch, writeFiles } from '../../bench/processes/scratch.ts';

const lines = (objects: readonly object[]): string => objects.map((one) => `${JSON.stringify(one)}\n`).join('');

const group = (GroupId: string, peer: object) => ({
  GroupId,
  GroupName: GroupId,
  VpcId: 'vpc-0a1',
  OwnerId: '111122223333',
  Description: 'by hand',
  IpPermissions: [{ IpProtocol: 'tcp', FromPort: 443, ToPort: 443, ...peer }],
  IpPermissionsEgress: [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
});

const recordings = {
  'aws.jsonl': lines([
    {
      file: 'one/answers.json',
      op: 'DescribeSecurityGroups',
      data: {
        SecurityGroups: [
          group('sg-0a1', { IpRanges: [{ CidrIp: '10.0.0.0/8' }] }),
          group('sg-0a2', { UserIdGroupPairs: [{ GroupId: 'sg-0ff', UserId: '999900009999' }] }),
          group('sg-0a3', { UserIdGroupPairs: [{ GroupName: 'classic', UserId: '999900009999' }] }),
        ],
      },
    },
    {
      file: 'one/machines.json',
      op: 'DescribeInstances',
      data: {
        Reservations: [
          {
            Instances: [
              {
                InstanceId: 'i-0a1',
                ImageId: 'ami-0abc0abc0abc0abc0',
                InstanceType: 't3.small',
                SubnetId: 'subnet-0a1',
                VpcId: 'vpc-0a1',
                State: { Name: 'running' },
                Placement: { AvailabilityZone: 'eu-west-1a' },
                SecurityGroups: [{ GroupId: 'sg-0a1', GroupName: 'sg-0a1' }],
              },
            ],
          },
        ],
      },
    },
  ]),
  'gcp.jsonl': lines([
    {
      file: 'x',
      kind: 'compute#firewall',
      o: {
        id: '1',
        name: 'web',
        selfLink: 'https://www.googleapis.com/compute/v1/projects/acme-prod/global/firewalls/web',
        network: 'https://www.googleapis.com/compute/v1/projects/acme-prod/global/networks/core',
        direction: 'INGRESS',
        allowed: [{ IPProtocol: 'tcp', ports: ['443'] }],
        sourceRanges: ['0.0.0.0/0'],
        priority: 1000,
      },
    },
  ]),
  'azure.jsonl': lines([
    {
      file: 'y',
      kind: 'networksecuritygroups',
      o: {
        id: '/subscriptions/11112222-3333-4444-8555-666677778888/resourceGroups/acme/providers/Microsoft.Network/networkSecurityGroups/edge',
        location: 'westeurope',
        properties: {
          securityRules: [
            {
              id: '/subscriptions/11112222-3333-4444-8555-666677778888/resourceGroups/acme/providers/Microsoft.Network/networkSecurityGroups/edge/securityRules/ssh',
              name: 'ssh',
              properties: {
                protocol: '*',
                sourcePortRange: '*',
                destinationPortRange: '22',
                sourceAddressPrefix: 'VirtualNetwork',
                destinationAddressPrefix: '10.0.0.0/24',
                access: 'Allow',
                priority: 117,
                direction: 'Inbound',
              },
            },
          ],
        },
      },
    },
  ]),
};

test('recorded objects count as covered, or not, and each change of a covered one is seen', () =>
  inScratch(async (folder) => {
    await writeFiles(
      folder,
      Object.entries(recordings).map(([path, text]) => ({ path, text })),
    );
    const figures = await importRecorded(folder);
    // why: of eleven all but the rule whose peer is a group of EC2-Classic, by its name
    assert.deepEqual(
      figures.map(({ name, value }) => [name, value]),
      [
        ['import-recorded-said', 90.9],
        ['import-recorded-instances', 100],
        ['import-recorded-unempty', 0],
        ['import-recorded-missed', 0],
      ],
    );
    await assert.rejects(importRecorded(`${folder}/nowhere`), /set SETPOINT_RECORDINGS/);
  }));
