import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Machines, machines, PROJECT, pass, WEB, withNetwork, ZONE } from './instance-bench.ts';

const ELSEWHERE = 'europe-west4-a';

/** 700 machines in one zone, 400 in another. */
async function many(): Promise<Machines> {
  const made = await machines();
  const subnetworks = [
    { name: 'app', region: 'europe-west1', cidr: '10.20.0.0/22' },
    { name: 'far', region: 'europe-west4', cidr: '10.20.4.0/22' },
  ];
  const instances = [
    { name: 'web', zone: ZONE, subnetwork: 'app', count: 700 },
    { name: 'far', zone: ELSEWHERE, subnetwork: 'far', count: 400 },
  ];
  const document = { projects: [{ project: PROJECT, networks: [{ name: 'core', subnetworks }], instances }] };
  made.sandbox.control.compute.load(document);
  return made;
}

interface Scoped {
  readonly [collection: string]: unknown;
  readonly warning?: { readonly code: string };
}

type Scopes = Readonly<Record<string, Scoped>>;

/** Every page: how many of each scope, and the warning of those that have none. */
async function pages({ raw }: Machines, path: string): Promise<readonly Readonly<Record<string, number | string>>[]> {
  const found: Readonly<Record<string, number | string>>[] = [];
  for (let token: unknown = ''; token !== undefined; ) {
    const { body } = await raw('GET', `${PROJECT}/aggregated/${path}${token ? `&pageToken=${token}` : ''}`);
    const items = body['items'] as Scopes; // why: the form of every aggregated list
    const counts = Object.entries(items).map(([scope, of]): [string, number | string] => {
      const listed = of[path.split('?')[0] ?? ''];
      return [scope, Array.isArray(listed) ? listed.length : (of.warning?.code ?? '')];
    });
    found.push(Object.fromEntries(counts));
    token = body['nextPageToken'];
  }
  return found;
}

const NOTHING = 'NO_RESULTS_ON_PAGE';

describe('aggregated lists of machines', () => {
  for (const collection of ['instances', 'disks'])
    it(`${collection}: 500 a page over all zones, by name; a scope without any says so`, async () => {
      await using made = await many();
      const [first, second, third, ...more] = await pages(made, `${collection}?maxResults=500`);
      assert.deepEqual(more, []);
      assert.equal(first?.[`zones/${ELSEWHERE}`], 400);
      assert.equal(first?.[`zones/${ZONE}`], 100);
      assert.deepEqual([second?.[`zones/${ZONE}`], second?.[`zones/${ELSEWHERE}`]], [500, NOTHING]);
      assert.equal(third?.[`zones/${ZONE}`], 100);
      assert.equal(first?.['zones/us-central1-f'], NOTHING);
      assert.equal(Object.keys(first ?? {}).filter((scope) => scope.startsWith('zones/')).length, 10);
    });

  it('the SDK reads them all', async () => {
    await using made = await many();
    const names = new Set<string>();
    for await (const [, { instances = [] }] of made.instances.aggregatedListAsync({
      project: PROJECT,
      maxResults: 500,
    }))
      for (const { name } of instances ?? []) names.add(name ?? '');
    assert.equal(names.size, 1100);
    assert.ok(names.has('web-699') && names.has('far-399'));
  });

  it('a zone that cannot be reached says so, and its machines are missing', async () => {
    await using made = await many();
    const scope = `zones/${ZONE}`;
    made.sandbox.control.faults.add({
      match: { action: 'compute.instances.aggregatedList' },
      effect: { kind: 'unreachable', scope },
    });
    const [only, ...more] = await pages(made, 'instances?maxResults=500');
    assert.deepEqual([only?.[scope], only?.[`zones/${ELSEWHERE}`], more], ['UNREACHABLE', 400, []]);
    const { body } = await made.raw('GET', `${PROJECT}/aggregated/instances?maxResults=500`);
    assert.equal(JSON.stringify(body['unreachables']).includes(scope), true);
  });

  it('a short page says that there is more', async () => {
    await using made = await many();
    made.sandbox.control.faults.add({
      match: { action: 'compute.instances.aggregatedList', times: 1 },
      effect: { kind: 'short-page', items: 7 },
    });
    const [first, ...more] = await pages(made, 'instances?maxResults=500');
    assert.equal(first?.[`zones/${ELSEWHERE}`], 7);
    assert.equal(more.length, 3);
  });

  it('a flickering page misses some and does not say so', async () => {
    await using made = await many();
    made.sandbox.control.faults.add({
      match: { action: 'compute.instances.list' },
      effect: { kind: 'flicker', share: 0.5 },
    });
    const { body } = await made.raw('GET', `${PROJECT}/zones/${ZONE}/instances`);
    const { length } = body['items'] as readonly unknown[]; // why: a list has items
    assert.ok(length > 150 && length < 350, `${length} of 500`);
    assert.notEqual(body['nextPageToken'], undefined);
  });
});

describe('lists of a zone', () => {
  it('hold that zone alone, filtered by what is asked', async () => {
    await using made = await many();
    const [far] = await made.instances.list({ project: PROJECT, zone: ELSEWHERE });
    assert.equal(far.length, 400);
    const [one] = await made.instances.list({ project: PROJECT, zone: ZONE, filter: 'name = "web-7"' });
    assert.deepEqual(
      one.map(({ name }) => name),
      ['web-7'],
    );
  });

  it('of a zone that is not there are refused', async () => {
    await using made = await machines();
    const { status, body } = await made.raw('GET', `${PROJECT}/zones/europe-west1-a/instances`);
    assert.deepEqual([status, body.error?.errors[0]?.reason], [400, 'invalid']);
  });

  it('learn of a new machine late, where the cloud lags; writes to it come too early', async () => {
    await using made = await withNetwork();
    await made.raw('GET', `${PROJECT}/zones`);
    pass(made);
    made.sandbox.control.lag.set({ ms: 30_000 });
    await made.instances.insert({ project: PROJECT, zone: ZONE, instanceResource: WEB });
    pass(made, 20_000);
    const names = async () => (await made.instances.list({ project: PROJECT, zone: ZONE }))[0].map(({ name }) => name);
    assert.deepEqual(await names(), []);
    assert.equal((await made.raw('POST', `${PROJECT}/zones/${ZONE}/instances/web/stop`)).status, 404);
    pass(made, 10_000);
    assert.deepEqual(await names(), ['web']);
    assert.equal(
      (await made.instances.get({ project: PROJECT, zone: ZONE, instance: 'web' }))[0].status,
      'PROVISIONING',
    );
    pass(made, 30_000);
    assert.equal((await made.instances.get({ project: PROJECT, zone: ZONE, instance: 'web' }))[0].status, 'RUNNING');
  });

  it('draw on the minute of their project: 403, and back with the next', async () => {
    await using made = await machines({ budgets: true });
    const list = async () =>
      (await made.raw('GET', `${PROJECT}/zones/${ZONE}/instances`)).body.error?.errors[0]?.reason;
    let asked = 0;
    while ((await list()) === undefined) asked++;
    assert.equal(asked, 1500);
    assert.equal(await list(), 'rateLimitExceeded');
    pass(made, 60_000);
    assert.equal(await list(), undefined);
  });
});
