import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { test } from 'node:test';
import type { GcpDestination } from '../../../sandbox/events/destination.ts';
import { START } from '../bench.ts';
import { begun, bench, core, type NetworkBench, PROJECT, REGION } from '../compute/network-bench.ts';
import { type Listened, listening, type Received } from './receiver.ts';

const ACCOUNT = 'push@acme.example';

const listened = (more: Partial<GcpDestination> = {}): Promise<Listened<NetworkBench>> =>
  listening((url) =>
    bench({ events: [{ cloud: 'gcp', url, audience: 'setpoint', serviceAccount: ACCOUNT, ...more }] }),
  );

// biome-ignore lint/suspicious/noExplicitAny: the reason stands beside it
type Json = any; // why: entries of many forms, looked into by tests

function entryOf({ body }: Received): Json {
  return JSON.parse(Buffer.from(body.message.data, 'base64').toString('utf8'));
}

const RULE = {
  name: 'web',
  network: 'global/networks/core',
  allowed: [{ IPProtocol: 'tcp', ports: ['443'] }],
  sourceRanges: ['0.0.0.0/0'],
};

/** Network, subnetwork and rule, told of in six entries. */
async function withRule({ made, heard }: Listened<NetworkBench>): Promise<void> {
  await core(made);
  await made.done('POST', 'global/firewalls', RULE);
  await heard.first(6);
}

test('are pushed as Pub/Sub does, with a token of the sandbox’s own key', async () => {
  await using all = await listened();
  await all.made.done('POST', 'global/networks', { name: 'core', autoCreateSubnetworks: false });
  const [first, second] = [await all.heard.at(0), await all.heard.at(1)];
  const { message, subscription } = first.body;
  const { data: _, messageId, ...rest } = message;
  assert.match(messageId, /^\d{16}$/);
  assert.deepEqual(rest, {
    attributes: { 'logging.googleapis.com/timestamp': '2026-01-01T00:00:00.000Z' },
    message_id: messageId,
    publishTime: '2026-01-01T00:00:00.000Z',
    publish_time: '2026-01-01T00:00:00.000Z',
  });
  assert.equal(subscription, `projects/${PROJECT}/subscriptions/sandbox`);
  assert.notEqual(second.body.message.messageId, messageId);

  const keys = (await (await fetch(`${all.made.sandbox.url}/_sandbox/jwks`)).json()) as Keys; // why: a JSON Web Key Set
  const [, token = ''] = /^Bearer (.+)$/.exec(first.headers.authorization ?? '') ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const key = keys.keys[0] ?? assert.fail('no key');
  assert.deepEqual(decoded(head), { alg: 'RS256', kid: key['kid'], typ: 'JWT' });
  const publicKey = createPublicKey({ key, format: 'jwk' });
  assert.ok(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')));
  assert.equal(key['d'], undefined, 'the private half stays');
  const { iat, exp, sub, azp, ...said } = decoded(claims);
  assert.deepEqual(said, {
    aud: 'setpoint',
    email: ACCOUNT,
    email_verified: true,
    iss: 'https://accounts.google.com',
  });
  assert.match(sub, /^1\d{20}$/);
  assert.equal(azp, sub);
  assert.equal(exp, iat + 3600);
  assert.ok(Math.abs(iat - Date.now() / 1000) < 60, 'real time, by which receivers judge');
});

test('carry the entry of an operation that begins, as its client made it', async () => {
  // as after answers that were late: on a busy machine this test failed by them
  await using all = await listened({ duplicates: 1 });
  await withRule(all);
  const firewall = 'web';
  const operation = begun(
    await all.made.sdk.firewalls.patch({
      project: PROJECT,
      firewall,
      firewallResource: { sourceRanges: ['10.0.0.0/8'] },
    }),
  );
  const entry = entryOf(await all.heard.at(6));
  const resourceName = `projects/${PROJECT}/global/firewalls/web`;
  const at = new Date(START + 30_000).toISOString();
  const { insertId, protoPayload, ...rest } = entry;
  assert.match(insertId, /^-[0-9a-f]{12}$/);
  assert.deepEqual(rest, {
    logName: `projects/${PROJECT}/logs/cloudaudit.googleapis.com%2Factivity`,
    resource: {
      type: 'gce_firewall_rule',
      labels: { project_id: PROJECT, firewall_rule_id: String(operation.targetId) },
    },
    timestamp: at,
    receiveTimestamp: at,
    severity: 'NOTICE',
    operation: { id: operation.name, producer: 'compute.googleapis.com', first: true },
  });
  const { requestMetadata, response, ...payload } = protoPayload;
  assert.equal(requestMetadata.callerIp, '127.0.0.1');
  assert.equal(typeof requestMetadata.callerSuppliedUserAgent, 'string');
  assert.equal(response['@type'], 'type.googleapis.com/operation');
  assert.equal(response.name, operation.name);
  assert.deepEqual(payload, {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    authenticationInfo: { principalEmail: 'sandbox@example.com', principalSubject: 'user:sandbox@example.com' },
    serviceName: 'compute.googleapis.com',
    methodName: 'v1.compute.firewalls.patch',
    resourceName,
    authorizationInfo: [
      {
        permission: 'compute.firewalls.update',
        granted: true,
        resourceAttributes: { service: 'compute', name: resourceName, type: 'compute.firewalls' },
        permissionType: 'ADMIN_WRITE',
      },
    ],
    request: { '@type': 'type.googleapis.com/compute.firewalls.patch', sourceRanges: ['10.0.0.0/8'] },
    resourceLocation: { currentLocations: ['global'] },
  });
});

test('tell of an operation once more when it has ended, and not before', async () => {
  await using all = await listened();
  await withRule(all);
  const begun = await all.made.raw('DELETE', 'global/firewalls/web');
  await all.heard.first(7);
  await new Promise(setImmediate);
  assert.equal(all.heard.received.length, 7);
  all.made.sandbox.control.clock.advance(10_000);
  const last = entryOf(await all.heard.at(7));
  assert.deepEqual(last.operation, { id: begun.body.name, producer: 'compute.googleapis.com', last: true });
  assert.equal(last.protoPayload.methodName, 'v1.compute.firewalls.delete');
  assert.equal(last.protoPayload.resourceName, `projects/${PROJECT}/global/firewalls/web`);
  assert.deepEqual(last.protoPayload.request, { '@type': 'type.googleapis.com/compute.firewalls.delete' });
  assert.equal(last.protoPayload.response, undefined);
  assert.equal(last.protoPayload.status, undefined);
  assert.equal(last.timestamp, new Date(START + 34_000).toISOString());
});

test('an operation that failed ends with its error', async () => {
  await using all = await listened();
  const effect = { kind: 'operation-error', code: 'QUOTA_EXCEEDED', status: 403, message: 'too many' } as const;
  all.made.sandbox.control.faults.add({ match: { action: 'compute.networks.insert' }, effect });
  await all.made.done('POST', 'global/networks', { name: 'core', autoCreateSubnetworks: false });
  const last = entryOf(await all.heard.at(1));
  assert.equal(last.severity, 'ERROR');
  assert.deepEqual(last.protoPayload.status, { code: 7, message: 'QUOTA_EXCEEDED: too many' });
});

test('spell what was asked in the log’s own way, and never tell metadata', async () => {
  await using all = await listened();
  await withRule(all);
  const rule = entryOf(await all.heard.at(4)).protoPayload.request;
  assert.deepEqual(rule.alloweds, RULE.allowed);
  assert.equal(rule.allowed, undefined);
  const zone = `zones/${REGION}-b`;
  const disk = {
    boot: true,
    initializeParams: { sourceImage: 'projects/debian-cloud/global/images/family/debian-12' },
  };
  const machine = {
    name: 'web',
    machineType: `${zone}/machineTypes/e2-small`,
    networkInterfaces: [{ subnetwork: `regions/${REGION}/subnetworks/app` }],
    disks: [disk],
    labels: { tier: 'web' },
    metadata: { items: [{ key: 'startup-script', value: 'secret' }] },
  };
  const begun = await all.made.raw('POST', `${zone}/instances`, machine);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const entry = entryOf(await all.heard.at(6));
  assert.deepEqual(entry.protoPayload.request.labels, [{ key: 'tier', value: 'web' }]);
  assert.ok(!JSON.stringify(entry).includes('secret'));
  assert.deepEqual(entry.resource, {
    type: 'gce_instance',
    labels: { project_id: PROJECT, instance_id: begun.body.targetId, zone: `${REGION}-b` },
  });
  assert.equal(entry.protoPayload.resourceName, `projects/${PROJECT}/${zone}/instances/web`);
  assert.deepEqual(entry.protoPayload.resourceLocation, { currentLocations: [`${REGION}-b`] });
  const subnet = entryOf(await all.heard.at(2)).resource;
  assert.equal(subnet.type, 'gce_subnetwork');
  assert.equal(subnet.labels.subnetwork_name, 'app');
  assert.equal(subnet.labels.location, REGION);
});

test('name whom the token names, and where a proxy says that it came from', async () => {
  await using all = await listened({ except: ['nobody'] });
  const network = (name: string, headers: Record<string, string>) =>
    fetch(`${all.made.sandbox.url}/compute/v1/projects/${PROJECT}/global/networks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'gcloud/1', ...headers },
      body: JSON.stringify({ name, autoCreateSubnetworks: false }),
    });
  const jwt = `e30.${Buffer.from('{"email":"bot@acme.iam.gserviceaccount.com"}').toString('base64url')}.c2ln`;
  await network('a', { authorization: 'Bearer ada@acme.example', 'x-forwarded-for': '203.0.113.7' });
  await network('b', { authorization: `Bearer ${jwt}` });
  const told = (await all.heard.first(2)).map((each) => entryOf(each).protoPayload);
  assert.deepEqual(
    told.map(({ authenticationInfo }) => authenticationInfo.principalSubject),
    ['user:ada@acme.example', 'serviceAccount:bot@acme.iam.gserviceaccount.com'],
  );
  assert.equal(told[0].requestMetadata.callerIp, '203.0.113.7');
  assert.equal(told[0].requestMetadata.callerSuppliedUserAgent, 'gcloud/1');
});

test('that are refused are pushed again under the same id', async () => {
  await using all = await listened();
  all.heard.statuses.push(404);
  await all.made.raw('POST', 'global/networks', { name: 'core', autoCreateSubnetworks: false });
  const [first, again] = [await all.heard.at(0), await all.heard.at(1)];
  assert.equal(again.body.message.messageId, first.body.message.messageId);
});

interface Keys {
  readonly keys: readonly JsonWebKey[];
}

function decoded(part: string): Json {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
}
