import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byVersion, sourceOf } from '../../../sandbox/arm/images.ts';
import { bench, GROUP, LOCATION, START, SUBSCRIPTION } from './bench.ts';

const compute = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Compute/locations/${LOCATION}`;
const platform = (urn: string): string => {
  const [publisher, offer, sku] = urn.split(':');
  return `${compute}/publishers/${publisher}/artifacttypes/vmimage/offers/${offer}/skus/${sku}/versions`;
};
const [debian, mine] = [platform('Debian:debian-12:12-gen2'), platform('somebody:web:free')];
const web = `${GROUP}/providers/Microsoft.Compute/galleries/g/images/web`;
const miner = '/CommunityGalleries/somebody-1a2b/images/miner';
const version = (number: string, imageDeprecationStatus?: object): object => ({
  ...{ publisher: 'somebody', offer: 'web', sku: 'free', version: number },
  ...(imageDeprecationStatus === undefined ? {} : { imageDeprecationStatus }),
});
const dates = { publishedDate: '2023-01-31T08:00:00Z', endOfLifeDate: '2025-01-31T08:00:00Z' };
const answered = {
  ...{ publishedDate: '2023-01-31T08:00:00.000Z', endOfLifeDate: '2025-01-31T08:00:00.000Z' },
  excludeFromLatest: false,
};

async function stage(form: object) {
  const made = await bench();
  made.sandbox.control.arm.load({ subscriptions: [{ id: SUBSCRIPTION, ...form }] });
  return made;
}
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

describe('images of the marketplace', () => {
  it('are active unless an estate states otherwise', async () => {
    await using made = await stage({ platformImages: [version('1.0.0', { imageState: 'Deprecated' })] });
    const { body } = await made.send('GET', `${debian}/0.20251006.2257`);
    assert.deepEqual(body.properties.imageDeprecationStatus, { imageState: 'Active' });
    const { body: old } = await made.send('GET', `${mine}/1.0.0`);
    assert.deepEqual(old.properties.imageDeprecationStatus, { imageState: 'Deprecated' });
  });

  it('are deprecated once their scheduled time has come', async () => {
    const at = new Date(START + 1000).toISOString();
    const status = { imageState: 'ScheduledForDeprecation', scheduledDeprecationTime: at };
    await using made = await stage({ platformImages: [version('1.0.0', status)] });
    const state = async () =>
      (await made.send('GET', `${mine}/1.0.0`)).body.properties.imageDeprecationStatus.imageState;
    assert.equal(await state(), 'ScheduledForDeprecation');
    made.sandbox.control.clock.advance(1000);
    assert.equal(await state(), 'Deprecated');
  });

  it('of an estate are listed with those that are there, the lowest first, or as texts', async () => {
    const further = { publisher: 'debian', offer: 'debian-12', sku: '12-gen2', version: '0.20240101.1' };
    await using made = await stage({ platformImages: [version('8.10.0'), version('8.9.0'), further] });
    const { body } = await made.send('GET', debian);
    assert.deepEqual(names(body), ['0.20240101.1', '0.20250703.2162', '0.20251006.2257']);
    assert.deepEqual(names((await made.send('GET', mine)).body), ['8.9.0', '8.10.0']);
    assert.deepEqual(names((await made.send('GET', `${mine}?$top=1&$orderby=name%20desc`)).body), ['8.9.0']);
    assert.deepEqual(names((await made.send('GET', `${mine}?$orderby=name`)).body), ['8.10.0', '8.9.0']);
  });
});

describe('images in galleries', () => {
  it('have the dates that an estate states', async () => {
    const images = [{ id: `${web}/versions/1.0.0`, ...dates, targetRegions: [LOCATION] }];
    await using made = await stage({ images });
    const { body } = await made.send('GET', `${web}/versions/1.0.0`);
    const targetRegions = [{ name: LOCATION, regionalReplicaCount: 1, excludeFromLatest: false }];
    assert.deepEqual(body.properties.publishingProfile, { ...answered, targetRegions });
    assert.equal((await made.send('GET', web)).status, 200);
  });

  it('are listed by their image, the lowest version first', async () => {
    const images = ['1.10.0', '1.9.0'].map((number) => ({ id: `${web}/versions/${number}` }));
    await using made = await stage({ images });
    assert.deepEqual(names((await made.send('GET', `${web}/versions`)).body.value), ['1.9.0', '1.10.0']);
    assert.equal((await made.send('GET', `${web}-2/versions`)).status, 404);
  });

  it('may be public', async () => {
    await using made = await stage({ images: [{ id: `${miner}/versions/1.0.0`, ...dates }] });
    const { body } = await made.send('GET', `${compute}${miner}/versions/1.0.0`);
    assert.deepEqual([body.name, body.location, body.properties], ['1.0.0', LOCATION, answered]);
    assert.equal(body.identifier.uniqueId, `${miner}/versions/1.0.0`);
    assert.deepEqual(names((await made.send('GET', `${compute}${miner}/versions`)).body.value), ['1.0.0']);
    assert.equal((await made.send('GET', `${compute}${miner}`)).status, 200);
    for (const path of [`${miner}/versions/2.0.0`, `${miner}-2`, `${miner}-2/versions`])
      assert.equal((await made.send('GET', compute + path)).status, 404, path);
  });
});

it('machines are made from images that an estate states', async () => {
  const images = [{ id: `${web}/versions/1.0.0` }, { id: `${miner}/versions/1.0.0` }];
  await using made = await stage({ images, platformImages: [version('8.10.0'), version('8.9.0')] });
  const where = { subscription: made.sandbox.control.arm.subscription(SUBSCRIPTION), location: LOCATION };
  const latest = { publisher: 'somebody', offer: 'web', sku: 'free', version: 'latest' };
  assert.equal(sourceOf(where, latest).reference.exactVersion, '8.10.0');
  assert.equal(sourceOf(where, { id: web }).imageId, web);
  assert.equal(sourceOf(where, { communityGalleryImageId: `${miner}/versions/latest` }).reference.osType, 'Linux');
  assert.throws(() => sourceOf(where, { communityGalleryImageId: `${miner}-2` }), /cannot be found/);
});

it('versions are compared by their numbers', () => {
  assert.deepEqual(['8.10.0', '8.9.0', '8.10.0', '9.0.0', '8.9.1'].toSorted(byVersion), [
    ...['8.9.0', '8.9.1', '8.10.0', '8.10.0', '9.0.0'],
  ]);
});
