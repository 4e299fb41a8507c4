import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, type NetworkBench, PROJECT, type Raw, refusalOf } from './network-bench.ts';

const names = ['charlie', 'alpha', 'echo', 'bravo', 'delta'] as const;

/** Firewalls of these names, made in this order; `alpha` and `bravo` are for the tag web. */
async function five(): Promise<NetworkBench> {
  const made = await bench();
  const firewalls = names.map((name, priority) => ({
    name,
    priority,
    allowed: [{ IPProtocol: 'tcp', ports: [String(80 + priority)] }],
    ...(name < 'charlie' ? { targetTags: ['web', 'all'] } : {}),
  }));
  made.sandbox.control.compute.load({ projects: [{ project: PROJECT, networks: [{ name: 'core', firewalls }] }] });
  return made;
}

async function list({ raw }: NetworkBench, query: Readonly<Record<string, string>>): Promise<Raw> {
  return raw('GET', `global/firewalls?${new URLSearchParams(query)}`);
}

function namesOf({ body }: Raw): string {
  assert.ok(body.items === undefined || body.items.length > 0, 'a list of nothing has no items');
  return (body.items ?? []).map(({ name }: { readonly name: string }) => name).join(' ');
}

describe('a list', () => {
  it('is in order of name, and whole unless asked otherwise', async () => {
    await using made = await five();
    const whole = await list(made, {});
    assert.equal(namesOf(whole), 'alpha bravo charlie delta echo');
    assert.deepEqual(
      [whole.body.kind, whole.body.id, whole.body.nextPageToken],
      ['compute#firewallList', 'projects/acme/global/firewalls', undefined],
    );
    assert.equal(namesOf(await list(made, { maxResults: '0' })), 'alpha bravo charlie delta echo');
  });

  it('comes in pages, with what was made meanwhile and without what was deleted', async () => {
    await using made = await five();
    const first = await list(made, { maxResults: '2' });
    assert.equal(namesOf(first), 'alpha bravo');
    await made.done('DELETE', 'global/firewalls/delta');
    const body = { name: 'charly', network: 'global/networks/core', allowed: [{ IPProtocol: 'tcp' }] };
    await made.done('POST', 'global/firewalls', body);
    const rest = await list(made, { maxResults: '3', pageToken: first.body.nextPageToken });
    assert.deepEqual([namesOf(rest), rest.body.nextPageToken], ['charlie charly echo', undefined]);
  });

  it('comes through the SDK page by page', async () => {
    await using made = await five();
    const found: unknown[] = [];
    for await (const { name } of made.sdk.firewalls.listAsync({ project: PROJECT, maxResults: 2 })) found.push(name);
    assert.deepEqual(found, [...names].sort());
    assert.deepEqual(made.sandbox.control.log.counts(), { 'compute.firewalls.list': 3 });
  });

  for (const [query, says] of [
    [{ maxResults: '501' }, /between 0 and 500/],
    [{ maxResults: '-1' }, /between 0 and 500/],
    [{ maxResults: 'x' }, /between 0 and 500/],
    [{ pageToken: 'made-up' }, /pageToken/],
    [{ orderBy: 'priority' }, /Only name and creationTimestamp desc/],
    [{ filter: 'name' }, /Invalid list filter/],
    [{ filter: 'name = "a' }, /Invalid list filter/],
    [{ filter: '(name = a' }, /Invalid list filter/],
    [{ filter: 'name eq (' }, /Invalid list filter/],
  ] as const) {
    it(`is refused for ${JSON.stringify(query)}`, async () => {
      await using made = await five();
      const answer = await list(made, query);
      assert.equal(refusalOf(answer), '400 invalid');
      assert.match(answer.body.error.message, says);
    });
  }

  it('may be short, or silently lack some, where a fault says so', async () => {
    await using made = await five();
    const { faults } = made.sandbox.control;
    faults.add({ match: { times: 1 }, effect: { kind: 'short-page', items: 2 } });
    const short = await list(made, {});
    assert.equal(namesOf(short), 'alpha bravo');
    assert.equal(namesOf(await list(made, { pageToken: short.body.nextPageToken })), 'charlie delta echo');
    faults.add({ match: { times: 1 }, effect: { kind: 'flicker', share: 1 } });
    const gone = await list(made, {});
    assert.deepEqual([namesOf(gone), gone.body.nextPageToken], ['', undefined]);
  });
});

const filters: readonly (readonly [filter: string, want: string])[] = [
  ['name = alpha', 'alpha'],
  ['name="alpha"', 'alpha'],
  ["name = 'alpha'", 'alpha'],
  ['name != alpha', 'bravo charlie delta echo'],
  ['name:l', 'alpha charlie delta'],
  ['name > bravo', 'charlie delta echo'],
  ['priority >= 3', 'bravo delta'],
  ['priority < 1', 'charlie'],
  ['disabled = false AND priority <= 1', 'alpha charlie'],
  ['(name = alpha) OR (name = echo)', 'alpha echo'],
  ['(name = alpha) (priority = 1)', 'alpha'],
  ['name = alpha OR name = echo priority = 2', 'echo'],
  ['priority = 2 AND name = alpha OR name = echo', 'echo'],
  ['NOT name = alpha', 'bravo charlie delta echo'],
  ['targetTags = web', 'alpha bravo'],
  ['targetTags:*', 'alpha bravo'],
  ['NOT targetTags:*', 'charlie delta echo'],
  ['allowed.ports = 81', 'alpha'],
  ['logConfig.enable = true', ''],
  ['name eq alpha', 'alpha'],
  ['name eq al', ''],
  ['name eq .*l.*', 'alpha charlie delta'],
  ['name eq "(alpha|echo)"', 'alpha echo'],
  ['name ne .*a', 'bravo charlie echo'],
  ['network eq ".*\\bcore\\b.*"', 'alpha bravo charlie delta echo'],
  ['network eq ".*\\bcor\\b.*"', ''],
];

describe('a filter', () => {
  for (const [filter, want] of filters) {
    it(filter, async () => {
      await using made = await five();
      assert.equal(namesOf(await list(made, { filter })), want);
    });
  }

  it('leaves full pages of what fits', async () => {
    await using made = await five();
    const first = await list(made, { filter: 'name != bravo', maxResults: '2' });
    assert.equal(namesOf(first), 'alpha charlie');
    const { nextPageToken: pageToken } = first.body;
    const second = await list(made, { filter: 'name != bravo', maxResults: '2', pageToken });
    assert.deepEqual([namesOf(second), second.body.nextPageToken], ['delta echo', undefined]);
    const whole = await list(made, { filter: 'name != alpha', maxResults: '4' });
    assert.deepEqual([namesOf(whole), whole.body.nextPageToken], ['bravo charlie delta echo', undefined]);
  });
});

describe('an aggregated list', () => {
  const subnetworks = [
    { name: 'a', region: 'us-central1', cidr: '10.0.1.0/24' },
    { name: 'b', region: 'europe-west1', cidr: '10.0.2.0/24' },
    { name: 'c', region: 'us-central1', cidr: '10.0.3.0/24' },
  ];

  async function three(): Promise<NetworkBench> {
    const made = await bench();
    made.sandbox.control.compute.load({ projects: [{ project: PROJECT, networks: [{ name: 'core', subnetworks }] }] });
    return made;
  }

  it('pages over all scopes together, and names each on each page', async () => {
    await using made = await three();
    const first = (await made.raw('GET', 'aggregated/subnetworks?maxResults=2')).body;
    assert.deepEqual(
      [first.items['us-central1'], first.items['regions/us-central1'].subnetworks.length],
      [undefined, 1],
    );
    const second = (await made.raw('GET', `aggregated/subnetworks?maxResults=2&pageToken=${first.nextPageToken}`)).body;
    assert.deepEqual(Object.keys(second.items), Object.keys(first.items));
    assert.equal(second.items['regions/us-central1'].subnetworks[0].name, 'c');
    assert.deepEqual(second.items['regions/europe-west1'].warning, {
      code: 'NO_RESULTS_ON_PAGE',
      message: "There are no results for scope 'regions/europe-west1' on this page.",
      data: [{ key: 'scope', value: 'regions/europe-west1' }],
    });
    assert.equal(second.nextPageToken, undefined);
  });

  it('says which scope it could not reach, where a fault says so', async () => {
    await using made = await three();
    const effect = { kind: 'unreachable', scope: 'regions/us-central1' } as const;
    made.sandbox.control.faults.add({ match: { action: 'compute.subnetworks.aggregatedList' }, effect });
    const { body } = await made.raw('GET', 'aggregated/subnetworks?maxResults=1');
    assert.equal(body.nextPageToken, undefined);
    assert.equal(body.items['regions/us-central1'].warning.code, 'UNREACHABLE');
    assert.equal(body.items['regions/us-central1'].subnetworks, undefined);
    assert.equal(body.items['regions/europe-west1'].subnetworks.length, 1);
    assert.deepEqual(body.unreachables, ['https://www.googleapis.com/compute/v1/projects/acme/regions/us-central1']);
  });
});
