import assert from 'node:assert/strict';
import { test } from 'node:test';
import { touches } from '../../../providers/gcp/touches.ts';
import type { Touch } from '../../../src/core/last-modified.ts';

/** As https://cloud.google.com/logging/docs/audit/understanding-audit-logs shows them. */
const entryOf = (payload: object = {}, rest: object = {}): object => ({
  insertId: '-x1',
  logName: 'projects/acme/logs/cloudaudit.googleapis.com%2Factivity',
  timestamp: '2026-01-01T00:00:07.250Z',
  severity: 'NOTICE',
  operation: { id: 'operation-1', producer: 'compute.googleapis.com', last: true },
  resource: { type: 'gce_firewall_rule', labels: { project_id: 'acme', firewall_rule_id: '3912' } },
  protoPayload: {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    authenticationInfo: { principalEmail: 'bob@acme.example', principalSubject: 'user:bob@acme.example' },
    requestMetadata: { callerIp: '203.0.113.9', callerSuppliedUserAgent: 'Mozilla/5.0' },
    serviceName: 'compute.googleapis.com',
    methodName: 'v1.compute.firewalls.patch',
    resourceName: 'projects/acme/global/firewalls/web',
    ...payload,
  },
  ...rest,
});

test('a change of a colleague', () => {
  assert.deepEqual(touches(entryOf()), [
    {
      scope: 'gcp/acme',
      event: '-x1',
      at: Date.UTC(2026, 0, 1, 0, 0, 7, 250),
      actor: {
        who: 'bob@acme.example',
        action: 'v1.compute.firewalls.patch',
        from: '203.0.113.9',
        agent: 'Mozilla/5.0',
      },
      objects: ['projects/acme/global/firewalls/web#3912'],
      requestId: 'operation-1',
    } satisfies Touch,
  ]);
});

type Row = readonly [type: string, labels: object, resourceName: string, want: readonly string[] | 'nothing'];
const rows: Readonly<Record<string, Row>> = {
  'a network': [
    'gce_network',
    { network_id: '7', location: 'global' },
    'projects/acme/global/networks/core',
    ['projects/acme/global/networks/core#7'],
  ],
  'a subnet': [
    'gce_subnetwork',
    { subnetwork_id: '8' },
    'projects/acme/regions/r/subnetworks/core-app',
    ['projects/acme/regions/r/subnetworks/core-app#8'],
  ],
  'a machine': [
    'gce_instance',
    { instance_id: '9', zone: 'z-b' },
    'projects/acme/zones/z-b/instances/web-0',
    ['projects/acme/zones/z-b/instances/web-0#9'],
  ],
  'a disk': [
    'gce_disk',
    { disk_id: '10' },
    'projects/acme/zones/z-b/disks/web-0',
    ['projects/acme/zones/z-b/disks/web-0#10'],
  ],
  'a route': [
    'gce_route',
    { route_id: '11' },
    'projects/acme/global/routes/out',
    ['projects/acme/global/routes/out#11'],
  ],
  'a project by its number': [
    'gce_route',
    { route_id: '11' },
    'projects/123456/global/routes/out',
    ['projects/acme/global/routes/out#11'],
  ],
  'no number of it: another may have its name': ['gce_network', {}, 'projects/acme/global/networks/core', []],
  'a number that is none': ['gce_network', { network_id: '7#' }, 'projects/acme/global/networks/core', []],
  'no name': ['gce_network', { network_id: '7' }, '', []],
  'what we keep nothing of': ['gce_image', { image_id: '7' }, 'projects/acme/global/images/i', 'nothing'],
};
for (const [name, [type, labels, resourceName, want]] of Object.entries(rows))
  test(`Google Cloud: ${name}`, () => {
    const resource = { type, labels: { project_id: 'acme', ...labels } };
    assert.deepEqual(touches(entryOf({ resourceName }, { resource }))[0]?.objects ?? 'nothing', want);
  });

test('the number may stand in the answer', () => {
  const resource = { type: 'gce_firewall_rule', labels: { project_id: 'acme' } };
  const [touch] = touches(entryOf({ response: { targetId: '3912' } }, { resource, operation: undefined }));
  assert.deepEqual([touch?.objects, touch?.requestId], [['projects/acme/global/firewalls/web#3912'], undefined]);
});

const quiet: Readonly<Record<string, unknown>> = {
  'a failed change': entryOf({ status: { code: 7, message: 'PERMISSION_DENIED' } }),
  'a failure without its code': entryOf({ status: { message: 'no' } }),
  'the beginning of an operation': entryOf({}, { operation: { id: 'operation-1', first: true } }),
  'a log of reads': entryOf({}, { logName: 'projects/acme/logs/cloudaudit.googleapis.com%2Fdata_access' }),
  'another log': entryOf({}, { logName: 'projects/acme/logs/mine' }),
  'another service': entryOf({ serviceName: 'storage.googleapis.com' }),
  'a project that is none': entryOf({}, { resource: { type: 'gce_network', labels: { project_id: 'a/../b' } } }),
  'no time': entryOf({}, { timestamp: '' }),
  'no payload': entryOf({}, { protoPayload: null }),
  nothing: undefined,
  text: 'x',
  'a list': [entryOf()],
};
for (const [name, event] of Object.entries(quiet))
  test(`Google Cloud says nothing of ${name}`, () => assert.deepEqual(touches(event), []));

const heard: Readonly<Record<string, object>> = {
  'an empty status is none': entryOf({ status: {} }),
  'a status of 0': entryOf({ status: { code: 0 } }),
  'an operation of one entry': entryOf({}, { operation: { id: 'operation-1', first: true, last: true } }),
};
for (const [name, event] of Object.entries(heard))
  test(`Google Cloud: ${name}`, () => assert.equal(touches(event).length, 1));

test('a principal without an e-mail address', () => {
  const authenticationInfo = { principalSubject: 'principal://iam.googleapis.com/x' };
  const [touch] = touches(entryOf({ authenticationInfo, requestMetadata: {} }));
  assert.deepEqual(touch?.actor, { who: 'principal://iam.googleapis.com/x', action: 'v1.compute.firewalls.patch' });
});
