import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import * as aws from '@aws-sdk/client-ec2';
import { startSandbox } from '../../sandbox/index.ts';
import { ACCOUNT, type Bench, bench, REGION, refusal, START } from './bench.ts';
import { ID, smallEstate } from './ec2/estates.ts';

async function post(
  { sandbox }: Bench,
  verb: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const response = await fetch(`${sandbox.url}/_sandbox/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? '' : JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

describe('control over HTTP', () => {
  it('moves the clock', async () => {
    await using made = await bench();
    assert.deepEqual(await post(made, 'clock', { advance: 5000 }), { status: 200, json: { now: START + 5000 } });
  });

  it('adds faults, and takes them away', async () => {
    await using made = await bench();
    const list = () => refusal(made.ec2.send(new aws.DescribeVpcsCommand({})));
    const rule = {
      match: { action: 'DescribeVpcs', times: 1 },
      effect: { kind: 'error', code: 'InternalError', status: 500 },
    };
    assert.deepEqual((await post(made, 'faults', { add: [rule, rule] })).json, { ids: ['fault-1', 'fault-2'] });
    assert.equal(await list(), 'InternalError');
    await post(made, 'faults', { clear: true });
    assert.equal(await list(), 'accepted');
  });

  it('slows the cloud, fills and switches off budgets', async () => {
    await using made = await bench({ budgets: true });
    await post(made, 'lag', { ms: 1000 });
    await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
    assert.deepEqual((await made.ec2.send(new aws.DescribeVpcsCommand({}))).Vpcs, []);
    const rateLimit = `${ACCOUNT}/${REGION}/CreateVpc`;
    const level = async (body: object) =>
      ((await post(made, 'budgets', body)).json as Record<string, number>)[rateLimit]; // why: the verb's own answer
    assert.equal(await level({}), 49);
    assert.equal(await level({ fill: true }), undefined);
  });

  it('shows the log and its counts, and clears both', async () => {
    await using made = await bench();
    await made.ec2.send(new aws.CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
    await made.ec2.send(new aws.DescribeVpcsCommand({}));
    const { json } = await post(made, 'log', { query: { mutating: true }, clear: true });
    const { entries, counts } = json as { readonly entries: readonly object[]; readonly counts: object }; // why: the verb's own answer
    assert.deepEqual(counts, { CreateVpc: 1, DescribeVpcs: 1 });
    assert.equal(entries.length, 1);
    const { requestId, params, ...rest } = entries[0] as { readonly requestId: string; readonly params: object }; // why: as above
    assert.deepEqual(params, { Version: '2016-11-15', CidrBlock: '10.0.0.0/16' });
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      time: START,
      service: 'ec2',
      account: ACCOUNT,
      region: REGION,
      action: 'CreateVpc',
      mutating: true,
      status: 200,
      applied: true,
    });
    assert.deepEqual((await post(made, 'log')).json, { entries: [], counts: {} });
  });

  it('loads an estate and checks packets', async () => {
    await using made = await bench();
    assert.equal((await post(made, 'estate', smallEstate())).status, 200);
    const where = { account: ACCOUNT, region: REGION };
    const { json } = await post(made, 'packet', {
      ...where,
      from: 'internet',
      to: ID.machine,
      protocol: 'tcp',
      port: 443,
    });
    assert.equal((json as { readonly allowed: boolean }).allowed, true); // why: the verb's own answer
  });
});

describe('control over HTTP, for another cloud', () => {
  it('loads an estate and checks packets in its form', async () => {
    await using made = await bench();
    const networks = [
      {
        name: 'core',
        subnetworks: [{ name: 'app', region: 'europe-west1', cidr: '10.0.1.0/24' }],
        firewalls: [{ name: 'web', allowed: [{ IPProtocol: 'tcp', ports: ['443'] }] }],
      },
    ];
    const instances = [{ name: 'web', zone: 'europe-west1-b', subnetwork: 'app', externalIp: true }];
    const loaded = await post(made, 'estate', {
      cloud: 'gcp',
      projects: [{ project: 'acme-prod', networks, instances }],
    });
    assert.deepEqual(loaded, { status: 200, json: {} });
    const question = { cloud: 'gcp', project: 'acme-prod', from: 'internet', to: 'zones/europe-west1-b/instances/web' };
    for (const [port, want] of [
      [443, true],
      [22, false],
    ]) {
      const { json } = await post(made, 'packet', { ...question, protocol: 'tcp', port });
      assert.equal((json as { readonly allowed: boolean }).allowed, want); // why: the verb's own answer
    }
  });
});

const bad: readonly {
  readonly verb: string;
  readonly body: unknown;
  readonly want: { readonly status: number; readonly error: RegExp };
}[] = [
  { verb: 'coffee', body: {}, want: { status: 404, error: /no verb "coffee"; known are clock/ } },
  { verb: 'clock', body: { advance: '1' }, want: { status: 400, error: /^advance: expected a number/ } },
  { verb: 'clock', body: { advance: -1 }, want: { status: 400, error: /only goes forward/ } },
  { verb: 'lag', body: { ms: 1, sight: 2 }, want: { status: 400, error: /sight between 0 and 1/ } },
  {
    verb: 'faults',
    body: { add: [{ effect: { kind: 'fire' } }] },
    want: { status: 400, error: /^add\[0\]\.effect\.kind: expected one of throttle/ },
  },
  {
    verb: 'faults',
    body: { add: [{ effect: { kind: 'delay' } }] },
    want: { status: 400, error: /^add\[0\]\.effect\.ms: expected a number/ },
  },
  { verb: 'estate', body: { cloud: 'ibm' }, want: { status: 400, error: /^cloud: expected one of aws, gcp/ } },
  {
    verb: 'estate',
    body: { cloud: 'gcp', projects: 1 },
    want: { status: 400, error: /^projects: expected a list/ },
  },
  {
    verb: 'packet',
    body: { cloud: 'gcp', project: 'nobody', from: 'internet', to: 'x', protocol: 'tcp' },
    want: { status: 400, error: /projects\/nobody' was not found/ },
  },
  { verb: 'estate', body: { regions: 1 }, want: { status: 400, error: /^regions: expected a list/ } },
];

describe('control over HTTP refuses', () => {
  for (const { verb, body, want } of bad) {
    it(`${verb} ${JSON.stringify(body)}`, async () => {
      await using made = await bench();
      const { status, json } = await post(made, verb, body);
      assert.equal(status, want.status);
      assert.match((json as { readonly error: string }).error, want.error); // why: every refusal has this form
    });
  }

  it('what a page in a browser could send', async () => {
    await using made = await bench();
    const url = `${made.sandbox.url}/_sandbox/clock`;
    const form = await fetch(url, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"advance":1}' });
    assert.equal(form.status, 415);
    const rebound = await new Promise((resolve) => {
      const headers = { host: 'evil.example', 'content-type': 'application/json' };
      request(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode)).end('{}');
    });
    assert.equal(rebound, 403);
  });

  it('to listen on anything but loopback', async () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com']) {
      await assert.rejects(startSandbox({ host }), /loopback only/);
    }
  });

  it('what no service speaks', async () => {
    await using made = await bench();
    assert.equal((await fetch(made.sandbox.url)).status, 404);
  });
});
