import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { given } from '../bench.ts';
import { type Machines, PROJECT, pass, WEB, withNetwork, ZONE } from './instance-bench.ts';

const DISKS = `${PROJECT}/zones/${ZONE}/disks`;

const call = { project: PROJECT, zone: ZONE, disk: 'data' };

const reasonOf = async ({ raw }: Machines, method: string, path: string, body?: object) => {
  const { status, body: answer } = await raw(method, path, body);
  return status === 200 ? 'accepted' : `${status} ${answer.error?.errors[0]?.reason}`;
};

async function withDisk(disk: object = {}): Promise<Machines> {
  const made = await withNetwork();
  await made.disks.insert({ project: PROJECT, zone: ZONE, diskResource: { name: 'data', sizeGb: '100', ...disk } });
  pass(made);
  return made;
}

describe('a disk', () => {
  it('is made of a type and a size, or of an image', async () => {
    await using made = await withDisk({ type: `zones/${ZONE}/diskTypes/pd-ssd`, labels: { part: 'data' } });
    const [data] = await made.disks.get(call);
    assert.deepEqual([data.sizeGb, data.status, data.labels, data.users], ['100', 'READY', { part: 'data' }, []]);
    assert.match(data.type ?? '', /\/diskTypes\/pd-ssd$/);
    const sourceImage = 'projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64';
    await made.disks.insert({ project: PROJECT, zone: ZONE, diskResource: { name: 'os', sourceImage } });
    pass(made);
    const [os] = await made.disks.get({ ...call, disk: 'os' });
    assert.match(os.sourceImage ?? '', /\/ubuntu-2404-noble-amd64-v\d+$/);
    assert.deepEqual([os.sizeGb, os.sourceImageId, os.architecture], ['10', '5533902817264108963', 'X86_64']);
  });

  it('of no type and no size has the default of both', async () => {
    await using made = await withDisk({ name: 'plain', sizeGb: undefined });
    const [plain] = await made.disks.get({ ...call, disk: 'plain' });
    assert.deepEqual([plain.sizeGb, plain.type?.endsWith('/pd-standard')], ['500', true]);
  });

  it('only grows', async () => {
    await using made = await withDisk();
    for (const sizeGb of ['100', '99', '70000', undefined])
      assert.match(await reasonOf(made, 'POST', `${DISKS}/data/resize`, { sizeGb }), /^400/, String(sizeGb));
    await made.disks.resize({ ...call, disksResizeRequestResource: { sizeGb: '150' } });
    pass(made);
    assert.equal((await made.disks.get(call))[0].sizeGb, '150');
  });

  it('in use stays, and its machine shows what became of it', async () => {
    await using made = await withDisk();
    const data = { source: `zones/${ZONE}/disks/data`, deviceName: 'data' };
    const disks = [...(WEB.disks ?? []), data];
    await made.instances.insert({ project: PROJECT, zone: ZONE, instanceResource: { ...WEB, disks } });
    pass(made);
    const [used] = await made.disks.get(call);
    assert.match(used.users?.[0] ?? '', /\/instances\/web$/);
    assert.equal(await reasonOf(made, 'DELETE', `${DISKS}/data`), '400 resourceInUseByAnotherResource');
    await made.disks.resize({ ...call, disksResizeRequestResource: { sizeGb: '150' } });
    pass(made);
    const [web] = await made.instances.get({ project: PROJECT, zone: ZONE, instance: 'web' });
    assert.equal(web.disks?.[1]?.diskSizeGb, '150');
    await made.instances.delete({ project: PROJECT, zone: ZONE, instance: 'web' });
    pass(made);
    const [freed] = await made.disks.get(call);
    assert.deepEqual([freed.users, freed.lastDetachTimestamp], [[], '2025-12-31T16:05:10.000-08:00']);
    assert.equal(await reasonOf(made, 'DELETE', `${DISKS}/data`), 'accepted');
    pass(made);
    assert.equal(await reasonOf(made, 'GET', `${DISKS}/data`), '404 notFound');
  });
});

describe('a write to a disk', () => {
  it('changes its labels for who knows their fingerprint', async () => {
    await using made = await withDisk();
    const [{ labelFingerprint }] = await made.disks.get(call);
    const change = { labels: { a: '1' }, labelFingerprint: given(labelFingerprint ?? undefined) };
    await made.disks.setLabels({
      project: PROJECT,
      zone: ZONE,
      resource: 'data',
      zoneSetLabelsRequestResource: change,
    });
    pass(made);
    assert.deepEqual((await made.disks.get(call))[0].labels, { a: '1' });
    assert.equal(await reasonOf(made, 'POST', `${DISKS}/data/setLabels`, change), '412 conditionNotMet');
  });

  it('is refused with what the sandbox does not model, and with a name that is taken', async () => {
    await using made = await withDisk();
    assert.equal(
      await reasonOf(made, 'POST', DISKS, { name: 'x', sourceSnapshot: 'global/snapshots/s' }),
      '400 invalid',
    );
    assert.equal(await reasonOf(made, 'POST', DISKS, { name: 'data' }), '409 alreadyExists');
    assert.equal(await reasonOf(made, 'POST', DISKS, { name: 'x', sizeGb: '3' }), '400 invalid');
  });
});
