import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeprecated } from '../../../providers/azure/image-facts.ts';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { ImageFact, ImageFacts } from '../../../src/core/observed.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { type AzureStage, account, location, openAzureStage, resourceGroup } from '../../support/azure-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { inGroup } from './estate.ts';

const [debian, mine] = ['Debian:debian-12:12-gen2', 'somebody:web:free'] as const;
const gallery = inGroup('galleries/g').replace('Microsoft.Network', 'Microsoft.Compute');
const managed = gallery.replace('galleries/g', 'images/golden');
const [own, community] = [`${gallery}/images/web`, '/CommunityGalleries/somebody-1a2b/images/miner'] as const;
const shared = '/SharedGalleries/1a2b-somebody/images/miner';
const elsewhere = own.replace(account, '99998888-7777-4666-8555-444433332222');
const [published, over] = ['2023-01-31T08:00:00Z', '2025-01-31T08:00:00Z'] as const;
const createdAt = Date.parse(published);
const of = (image: string, version: string) => ({ id: `${image}/versions/${version}`, publishedDate: published });
const stated = (version: string, imageDeprecationStatus: object) => {
  const [publisher, offer, sku] = mine.split(':');
  return { publisher, offer, sku, version, imageDeprecationStatus };
};

let stage: AzureStage;
let session: Session;
beforeEach(async () => {
  stage = await openAzureStage();
  const images = [
    { ...of(own, '1.9.0'), endOfLifeDate: over },
    of(own, '1.10.0'),
    { ...of(own, '2.0.0'), endOfLifeDate: over, excludeFromLatest: true },
    { ...of(own, '3.0.0'), targetRegions: ['uksouth'] },
    { ...of(community, '1.1.0'), endOfLifeDate: over, excludeFromLatest: true },
    ...[of(community, '1.0.0'), { ...of(community, '0.9.0'), endOfLifeDate: over }, of(shared, '1.0.0')],
  ];
  const platformImages = [
    stated('8.9.0', { imageState: 'Deprecated' }),
    stated('8.10.0', { imageState: 'ScheduledForDeprecation', scheduledDeprecationTime: '2999-01-31T08:00:00Z' }),
  ];
  const groups = [{ name: resourceGroup, location }];
  const estate = { id: account, groups, images, platformImages, outside: [managed] };
  stage.sandbox.control.arm.load({ subscriptions: [estate] });
  session = await stage.open();
});
afterEach(() => stage.close());

const ask = async (...images: readonly string[]): Promise<Pick<ImageFacts, 'read' | 'unread'>> =>
  (await session.imageFacts?.(images, recordedCall())) ?? { read: [], unread: [] };
const calls = (): Readonly<Record<string, number>> => stage.sandbox.control.log.counts();
const deprecations = (read: readonly ImageFact[]) => read.map(({ deprecated }) => deprecated);

describe('facts of images of the marketplace', () => {
  test('of several publishers, by one call for each version', async () => {
    const [first, second] = [`${debian}:0.20251006.2257`, `${mine}:8.9.0`];
    assert.deepEqual(await ask(first, second), {
      read: [
        { image: first, owner: 'Debian', verified: true, deprecated: false },
        { image: second, owner: 'somebody', verified: false, deprecated: true },
      ],
      unread: [],
    });
    assert.deepEqual(calls(), { 'virtualMachineImages.get': 2 });
    assert.deepEqual(stage.sandbox.control.log.entries({ mutating: true }), []);
  });

  test('the latest is the highest version by its numbers, by a listing more', async () => {
    const { read } = await ask(`${mine}:latest`);
    assert.deepEqual(deprecations(read), [false], 'of 8.10.0, not of 8.9.0');
    assert.deepEqual(calls(), { 'virtualMachineImages.list': 1, 'virtualMachineImages.get': 1 });
  });

  test('each spelling has its facts, by one call, and the publisher as it spells itself', async () => {
    const spellings = ['debian:Debian-12:12-Gen2:0.20251006.2257', 'Debian:debian-12:12-gen2:0.20251006.2257'];
    const { read } = await ask(...spellings, ...spellings);
    assert.deepEqual(
      read.map(({ image, owner, verified }) => [image, owner, verified]),
      spellings.map((image) => [image, 'Debian', true]),
    );
    assert.deepEqual(calls(), { 'virtualMachineImages.get': 1 });
  });

  test('one that is scheduled for deprecation is deprecated once its time has come', async () => {
    const soon = new Date(stage.clock.now() + 1000).toISOString();
    const status = { imageState: 'ScheduledForDeprecation', scheduledDeprecationTime: soon };
    stage.sandbox.control.arm.load({ subscriptions: [{ id: account, platformImages: [stated('9.0.0', status)] }] });
    assert.deepEqual(deprecations((await ask(`${mine}:9.0.0`)).read), [false]);
    stage.sandbox.control.clock.advance(1000);
    assert.deepEqual(deprecations((await ask(`${mine}:latest`)).read), [true]);
  });
});

test('an image is deprecated by its state, or once its time has come', () => {
  const now = Date.parse(over);
  const scheduled = (ms: number) => ({
    ...{ imageState: 'ScheduledForDeprecation', scheduledDeprecationTime: new Date(now + ms) },
  });
  assert.deepEqual(
    [undefined, {}, { imageState: 'Active' }, { imageState: 'Deprecated' }, scheduled(1), scheduled(0)].map((status) =>
      isDeprecated(status, now),
    ),
    [false, false, false, true, false, true],
  );
});

describe('facts of images in groups and galleries', () => {
  test('those of the subscription are its own, by one call for each', async () => {
    const [old, young] = [`${own}/versions/1.9.0`, `${own}/versions/1.10.0`];
    assert.deepEqual((await ask(old, young, managed)).read, [
      { image: old, owner: account, verified: false, deprecated: true, createdAt },
      { image: young, owner: account, verified: false, deprecated: false, createdAt },
      { image: managed, owner: account, verified: false, deprecated: false },
    ]);
    assert.deepEqual(calls(), { 'galleryImageVersions.get': 2, 'images.get': 1 });
  });

  test('the latest is the highest version that a launch here would take, by one listing', async () => {
    const images = [own, `${own}/versions/latest`];
    assert.deepEqual(
      (await ask(...images)).read,
      images.map((image) => ({ image, owner: account, verified: false, deprecated: false, createdAt })),
    );
    assert.deepEqual(calls(), { 'galleryImageVersions.listByGalleryImage': 2 });
  });

  test('those of public galleries are of these', async () => {
    const [old, latest] = [`${community}/versions/0.9.0`, `${shared}/versions/latest`];
    assert.deepEqual((await ask(old, community, latest, `${shared}/versions/1.0.0`)).read, [
      { image: old, owner: 'somebody-1a2b', verified: false, deprecated: true, createdAt },
      { image: community, owner: 'somebody-1a2b', verified: false, deprecated: false, createdAt },
      { image: latest, owner: '1a2b-somebody', verified: false, deprecated: false, createdAt },
      { image: `${shared}/versions/1.0.0`, owner: '1a2b-somebody', verified: false, deprecated: false, createdAt },
    ]);
    assert.deepEqual(calls(), {
      ...{ 'communityGalleryImageVersions.get': 1, 'communityGalleryImageVersions.list': 1 },
      ...{ 'sharedGalleryImageVersions.get': 1, 'sharedGalleryImageVersions.list': 1 },
    });
  });
});

describe('images whose facts are not read', () => {
  test('each failure is of one image, with the reason', async () => {
    const rows: readonly (readonly [image: string, reason: RegExp])[] = [
      [
        `${debian}:1.2.3`,
        /^the image was not read: PlatformImageNotFound: The image 'debian:.*1\.2\.3' was not found/i,
      ],
      ['nobody:web:free:latest', /^the image was not read: ArtifactNotFound: /],
      ['', /^this is neither publisher:offer:sku:version nor/],
      ['/images/web', /^this is no id of an image$/],
      [`${own}/versions/7.0.0`, /^the image was not read: ResourceNotFound: /],
      [`${gallery}/images/other`, /^the image was not read: ResourceNotFound: /],
      [`${managed}-2`, /^the image was not read: ResourceNotFound: /],
      [`${community}/versions/7.0.0`, /^the image was not read: ResourceNotFound: /],
      [
        elsewhere,
        /^the image is in the subscription 99998888-.*, and Setpoint reads images of the target's own alone$/,
      ],
      [managed.replace(account, '99998888-7777-4666-8555-444433332222'), /^the image is in the subscription 9999/],
    ];
    const { read, unread } = await ask(`${debian}:latest`, ...rows.map(([image]) => image));
    assert.equal(read.length, 1);
    assert.deepEqual(
      unread.map(({ image }) => image),
      rows.map(([image]) => image),
    );
    for (const [at, [, reason]] of rows.entries()) assert.match(unread[at]?.reason ?? '', reason);
  });

  test('an image without a version that a launch here would take', async () => {
    const images = [{ ...of(`${gallery}/images/far`, '1.0.0'), targetRegions: ['uksouth'] }];
    stage.sandbox.control.arm.load({ subscriptions: [{ id: account, images }] });
    const { unread } = await ask(`${gallery}/images/far`);
    assert.match(unread[0]?.reason ?? '', /^the gallery has no version of it that is the latest in westeurope$/);
  });

  test('a throttled call alone is repeated, and a denied one leaves its image unknown', async () => {
    const fail = (effect: Effect, times?: number): void => {
      const match = { action: 'virtualMachineImages.get', ...(times === undefined ? {} : { times }) };
      stage.sandbox.control.faults.add({ match, effect });
    };
    fail({ kind: 'throttle' }, 1);
    assert.equal((await ask(`${debian}:latest`)).read.length, 1);
    assert.deepEqual(calls(), { 'virtualMachineImages.list': 1, 'virtualMachineImages.get': 2 });
    fail({ kind: 'access-denied' });
    const { read, unread } = await ask(`${debian}:latest`, own);
    assert.deepEqual(
      read.map(({ image }) => image),
      [own],
    );
    assert.match(unread[0]?.reason ?? '', /^the image was not read: AuthorizationFailed: .*irtualMachineImages/);
    assert.ok((calls()['virtualMachineImages.get'] ?? 0) < 3 + maxAttempts, 'a denial is not asked again');
  });

  test('a call that stops throws', async () => {
    const stop = new Error('the reconcile stops');
    const call = recordedCall(undefined, () => {
      throw stop;
    });
    await assert.rejects(async () => session.imageFacts?.([managed], call), stop);
  });

  test('a cancelled reconcile throws, though one call was answered', async () => {
    const cancel = new AbortController();
    let begun = 0;
    const call = recordedCall(cancel.signal, async () => {
      begun += 1;
      if (begun === 1) return;
      while (call.reported.length === 0) await nextTurn();
      cancel.abort();
    });
    const images = [`${own}/versions/1.9.0`, managed];
    await assert.rejects(async () => session.imageFacts?.(images, call), { name: 'AbortError' });
    assert.deepEqual(calls(), { 'galleryImageVersions.get': 1 });
  });
});
