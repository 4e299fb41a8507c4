import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imageOf } from '../../../sandbox/compute/disk.ts';
import { START } from '../bench.ts';
import { machines, PROJECT, ZONE } from './instance-bench.ts';

interface Named {
  readonly name: string;
}

const names = (items: unknown): readonly string[] => (items as readonly Named[]).map(({ name }) => name); // why: what lists hold has names

describe('images', () => {
  it('a family is its newest image that is not deprecated', async () => {
    await using made = await machines();
    const { body } = await made.raw('GET', 'debian-cloud/global/images/family/debian-12');
    assert.deepEqual(
      [body['name'], body['family'], body['status']],
      ['debian-12-bookworm-v20251209', 'debian-12', 'READY'],
    );
    assert.deepEqual([body['diskSizeGb'], body['architecture'], body['deprecated']], ['10', 'X86_64', undefined]);
    const old = await made.raw('GET', 'debian-cloud/global/images/debian-12-bookworm-v20251014');
    assert.deepEqual(old.body['deprecated'], {
      state: 'DEPRECATED',
      replacement:
        'https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12-bookworm-v20251209',
    });
  });

  it('each project lists its own', async () => {
    await using made = await machines();
    made.sandbox.control.compute.load({
      projects: [{ project: PROJECT, images: [{ name: 'gold-v1', family: 'gold' }] }],
    });
    const of = async (project: string) => names((await made.raw('GET', `${project}/global/images`)).body['items']);
    assert.deepEqual(await of(PROJECT), ['gold-v1']);
    assert.ok((await of('ubuntu-os-cloud')).includes('ubuntu-2404-noble-amd64-v20251210'));
    assert.equal((await made.raw('GET', `${PROJECT}/global/images/family/gold`)).body['name'], 'gold-v1');
  });

  it('have the creation and the state that an estate states', async () => {
    await using made = await machines();
    const time = { creationTimestamp: '2023-01-31T08:00:00Z' };
    const old = { name: 'gold-v1', family: 'gold', ...time, deprecated: { state: 'OBSOLETE', replacement: 'gold-v2' } };
    const before = { creationTimestamp: '2022-01-31T08:00:00Z' };
    const kept = { name: 'gold-v0', family: 'gold', ...before, deprecated: { state: 'ACTIVE' } };
    made.sandbox.control.compute.load({ projects: [{ project: PROJECT, images: [old, kept] }] });
    const { body } = await made.raw('GET', `${PROJECT}/global/images/gold-v1`);
    assert.equal(body['creationTimestamp'], '2023-01-31T00:00:00.000-08:00');
    assert.deepEqual(body['deprecated'], {
      state: 'OBSOLETE',
      replacement: `https://www.googleapis.com/compute/v1/projects/${PROJECT}/global/images/gold-v2`,
    });
    assert.equal((await made.raw('GET', `${PROJECT}/global/images/family/gold`)).body['name'], 'gold-v0');
  });

  it('of public projects have an age by the clock of the sandbox', async () => {
    await using made = await machines();
    const { body } = await made.raw('GET', 'debian-cloud/global/images/family/debian-12');
    assert.equal(Date.parse(String(body['creationTimestamp'])), START - 30 * 86_400_000);
  });

  it('of a project of somebody else are there for everybody', async () => {
    await using made = await machines();
    const imageProjects = [{ project: 'somebodys-lab', images: [{ name: 'miner' }] }];
    made.sandbox.control.compute.load({ projects: [], imageProjects });
    const { body } = await made.raw('GET', 'somebodys-lab/global/images/miner');
    const reference = 'projects/somebodys-lab/global/images/miner';
    assert.ok(String(body['selfLink']).endsWith(reference), String(body['selfLink']));
    assert.equal(imageOf(made.sandbox.control.compute.project(PROJECT), reference, 'sourceImage').name, 'miner');
    assert.throws(
      () => made.sandbox.control.compute.load({ projects: [], imageProjects: [{ project: 'X', images: [] }] }),
      /imageProjects\[0\]\.project: expected the id of a project/,
    );
  });

  it('that are not there: 404', async () => {
    await using made = await machines();
    for (const path of ['family/debian-7', 'debian-7'])
      assert.equal((await made.raw('GET', `debian-cloud/global/images/${path}`)).status, 404);
  });
});

describe('the offers of a zone', () => {
  it('machine types, with their zone by its name', async () => {
    await using made = await machines();
    const { body } = await made.raw('GET', `${PROJECT}/zones/${ZONE}/machineTypes/e2-micro`);
    assert.deepEqual(
      [body['guestCpus'], body['memoryMb'], body['isSharedCpu'], body['zone'], body['architecture']],
      [2, 1024, true, ZONE, 'X86_64'],
    );
    const listed = names((await made.raw('GET', `${PROJECT}/zones/${ZONE}/machineTypes`)).body['items']);
    assert.ok(listed.includes('n2-standard-4') && !listed.includes('t2a-standard-1'));
    const custom = await made.raw('GET', `${PROJECT}/zones/${ZONE}/machineTypes/e2-custom-4-8192`);
    assert.deepEqual([custom.status, custom.body['memoryMb']], [200, 8192]);
    assert.equal((await made.raw('GET', `${PROJECT}/zones/${ZONE}/machineTypes/t3.small`)).status, 404);
    assert.equal((await made.raw('GET', `${PROJECT}/aggregated/machineTypes?maxResults=100`)).status, 200);
  });

  it('disk types', async () => {
    await using made = await machines();
    const { body } = await made.raw('GET', `${PROJECT}/zones/${ZONE}/diskTypes`);
    assert.deepEqual(names(body['items']), ['hyperdisk-balanced', 'pd-balanced', 'pd-ssd', 'pd-standard']);
    const ssd = await made.raw('GET', `${PROJECT}/zones/${ZONE}/diskTypes/pd-ssd`);
    assert.equal(ssd.body['validDiskSize'], '10GB-65536GB');
    assert.equal((await made.raw('GET', `${PROJECT}/zones/${ZONE}/diskTypes/gp3`)).status, 404);
    assert.equal((await made.raw('GET', `${PROJECT}/aggregated/diskTypes`)).status, 200);
  });
});

describe('zones and regions', () => {
  it('are listed, and point at each other', async () => {
    await using made = await machines();
    const regions = await made.raw('GET', `${PROJECT}/regions`);
    assert.deepEqual(names(regions.body['items']), ['europe-west1', 'europe-west4', 'us-central1']);
    const zones = await made.raw('GET', `${PROJECT}/zones`);
    assert.equal(names(zones.body['items']).length, 10);
    const zone = await made.raw('GET', `${PROJECT}/zones/${ZONE}`);
    const region = await made.raw('GET', `${PROJECT}/regions/europe-west1`);
    assert.equal(zone.body['region'], region.body['selfLink']);
    assert.ok(JSON.stringify(region.body['zones']).includes(String(zone.body['selfLink'])));
  });

  it('come in pages too', async () => {
    await using made = await machines();
    const first = await made.raw('GET', `${PROJECT}/zones?maxResults=4`);
    const rest = await made.raw('GET', `${PROJECT}/zones?maxResults=500&pageToken=${first.body['nextPageToken']}`);
    assert.equal(new Set([...names(first.body['items']), ...names(rest.body['items'])]).size, 10);
  });

  it('that are not there: 404', async () => {
    await using made = await machines();
    const { status } = await made.raw('GET', `${PROJECT}/regions/mars-north1`);
    assert.ok(status === 404 || status === 400, String(status));
  });
});
