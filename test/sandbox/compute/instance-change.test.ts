import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { given } from '../bench.ts';
import { type Machines, machines, PROJECT, pass, ZONE } from './instance-bench.ts';

const at = { project: PROJECT, zone: ZONE, instance: 'web' };

const WEB = `${PROJECT}/zones/${ZONE}/instances/web`;

const type = (name: string): string => `zones/${ZONE}/machineTypes/${name}`;

async function loaded(more: object = {}): Promise<Machines> {
  const made = await machines();
  const networks = [{ name: 'core', subnetworks: [{ name: 'app', region: 'europe-west1', cidr: '10.20.1.0/24' }] }];
  const instance = { name: 'web', zone: ZONE, subnetwork: 'app', labels: { a: '1' }, tags: ['x'], ...more };
  made.sandbox.control.compute.load({ projects: [{ project: PROJECT, networks, instances: [instance] }] });
  return made;
}

const web = async ({ instances }: Machines) => (await instances.get(at))[0];

const reasonOf = async ({ raw }: Machines, path: string, body: object) => {
  const { status, body: answer } = await raw('POST', `${WEB}/${path}`, body);
  return status === 200 ? 'accepted' : `${status} ${answer.error?.errors[0]?.reason}`;
};

describe('labels, tags and metadata of an instance', () => {
  it('labels are replaced whole when the operation is done, by who knows their fingerprint', async () => {
    await using made = await loaded();
    const { labelFingerprint } = await web(made);
    const labels = { b: '2' };
    await made.instances.setLabels({
      ...at,
      instancesSetLabelsRequestResource: { labels, labelFingerprint: given(labelFingerprint ?? undefined) },
    });
    assert.deepEqual((await web(made)).labels, { a: '1' });
    pass(made);
    const changed = await web(made);
    assert.deepEqual(changed.labels, labels);
    assert.notEqual(changed.labelFingerprint, labelFingerprint);
    assert.equal(await reasonOf(made, 'setLabels', { labels: {}, labelFingerprint }), '412 conditionNotMet');
    assert.equal(await reasonOf(made, 'setLabels', { labels: {} }), '412 conditionNotMet');
    assert.equal(
      await reasonOf(made, 'setLabels', { labels: {}, labelFingerprint: changed.labelFingerprint }),
      'accepted',
    );
    pass(made);
    assert.equal((await web(made)).labelFingerprint, '42WmSpB8rSM=');
  });

  it('tags are replaced whole; no items are none', async () => {
    await using made = await loaded();
    const { tags } = await web(made);
    assert.equal(await reasonOf(made, 'setTags', { items: ['y'], fingerprint: 'AAAAAAAAAAA=' }), '412 conditionNotMet');
    assert.equal(await reasonOf(made, 'setTags', { items: ['y'] }), '412 conditionNotMet');
    await made.instances.setTags({
      ...at,
      tagsResource: { items: ['y', 'z'], fingerprint: given(tags?.fingerprint ?? undefined) },
    });
    pass(made);
    const changed = given((await web(made)).tags ?? undefined);
    assert.deepEqual(changed.items, ['y', 'z']);
    await made.instances.setTags({
      ...at,
      tagsResource: { items: [], fingerprint: given(changed.fingerprint ?? undefined) },
    });
    pass(made);
    const { body } = await made.raw('GET', WEB);
    assert.deepEqual(body['tags'], { fingerprint: '42WmSpB8rSM=' });
  });

  it('metadata is replaced whole, with or without a fingerprint, but not with an old one', async () => {
    await using made = await loaded();
    const before = (await web(made)).metadata?.fingerprint;
    assert.equal(await reasonOf(made, 'setMetadata', { items: [{ key: 'a', value: '1' }] }), 'accepted');
    pass(made);
    assert.equal(await reasonOf(made, 'setMetadata', { items: [], fingerprint: before }), '412 conditionNotMet');
    const { body } = await made.raw('GET', WEB);
    assert.deepEqual((body['metadata'] as { readonly items: unknown }).items, [{ key: 'a', value: '1' }]); // why: as the API has it
  });
});

describe('what an instance must be stopped for', () => {
  it('another machine type', async () => {
    await using made = await loaded();
    const machineType = type('e2-medium');
    assert.equal(await reasonOf(made, 'setMachineType', { machineType }), '400 badRequest');
    await made.instances.stop(at);
    assert.equal(await reasonOf(made, 'setMachineType', { machineType }), '400 resourceNotReady');
    pass(made);
    assert.equal(await reasonOf(made, 'setMachineType', { machineType: type('t3.small') }), '400 invalid');
    await made.instances.setMachineType({ ...at, instancesSetMachineTypeRequestResource: { machineType } });
    pass(made);
    await made.instances.start(at);
    pass(made);
    const changed = await web(made);
    assert.equal(changed.status, 'RUNNING');
    assert.match(changed.machineType ?? '', /\/e2-medium$/);
  });

  it('another service account, or none', async () => {
    await using made = await loaded();
    const account = {
      email: 'web@acme.iam.gserviceaccount.com',
      scopes: ['https://www.googleapis.com/auth/cloud-platform'],
    };
    assert.equal(await reasonOf(made, 'setServiceAccount', account), '400 badRequest');
    await made.instances.stop(at);
    pass(made);
    assert.equal(await reasonOf(made, 'setServiceAccount', account), 'accepted');
    pass(made);
    assert.deepEqual((await made.raw('GET', WEB)).body['serviceAccounts'], [account]);
    assert.equal(await reasonOf(made, 'setServiceAccount', {}), 'accepted');
    pass(made);
    assert.equal((await made.raw('GET', WEB)).body['serviceAccounts'], undefined);
  });
});

describe('the access config of an instance', () => {
  const nat = async (made: Machines) => (await web(made)).networkInterfaces?.[0]?.accessConfigs?.[0];

  it('comes with an external address, and goes with it', async () => {
    await using made = await loaded();
    assert.equal(await reasonOf(made, 'addAccessConfig', {}), '400 required');
    assert.equal(await reasonOf(made, 'addAccessConfig?networkInterface=nic1', {}), '400 invalid');
    await made.instances.addAccessConfig({ ...at, networkInterface: 'nic0', accessConfigResource: {} });
    pass(made);
    const added = given(await nat(made));
    assert.deepEqual([added.name, added.type, added.networkTier], ['External NAT', 'ONE_TO_ONE_NAT', 'PREMIUM']);
    assert.match(added.natIP ?? '', /^198\.1[89]\./);
    assert.equal(await reasonOf(made, 'addAccessConfig?networkInterface=nic0', {}), '400 invalid');
    const gone = 'deleteAccessConfig?networkInterface=nic0&accessConfig=';
    assert.equal(await reasonOf(made, `${gone}other`, {}), '404 notFound');
    await made.instances.deleteAccessConfig({ ...at, networkInterface: 'nic0', accessConfig: 'External NAT' });
    pass(made);
    assert.equal(await nat(made), undefined);
  });

  it('has no address while the machine is stopped', async () => {
    await using made = await loaded({ status: 'TERMINATED' });
    await made.instances.addAccessConfig({
      ...at,
      networkInterface: 'nic0',
      accessConfigResource: { networkTier: 'STANDARD' },
    });
    pass(made);
    const added = given(await nat(made));
    assert.deepEqual([added.natIP, added.networkTier], [undefined, 'STANDARD']);
    await made.instances.start(at);
    pass(made);
    assert.match((await nat(made))?.natIP ?? '', /^198\.1[89]\./);
  });
});

describe('an instance that is not there', () => {
  for (const path of ['setLabels', 'setTags', 'setMachineType', 'start', 'stop', 'reset'])
    it(`${path}: 404`, async () => {
      await using made = await loaded();
      const { status, body } = await made.raw('POST', `${PROJECT}/zones/${ZONE}/instances/none/${path}`, {});
      assert.deepEqual([status, body.error?.errors[0]?.reason], [404, 'notFound']);
    });
});
