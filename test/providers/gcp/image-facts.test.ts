import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { ImageFacts } from '../../../src/core/observed.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { type GcpStage, openGcpStage, project } from '../../support/gcp-session.ts';
import { actionsOf } from './estate.ts';

const created = Date.UTC(2023, 0, 31, 8);
const day = 86_400_000;
const time = { creationTimestamp: '2023-01-31T08:00:00Z' };
const lab = 'somebodys-lab';
const family = 'projects/debian-cloud/global/images/family/debian-12';
const superseded = 'projects/debian-cloud/global/images/debian-12-bookworm-v20251014';
const at = (owner: string, name: string): string => `projects/${owner}/global/images/${name}`;

let stage: GcpStage;
let session: Session;
beforeEach(async () => {
  stage = await openGcpStage();
  const states = (['DEPRECATED', 'OBSOLETE', 'DELETED'] as const).map((state) => ({
    ...{ name: `web-${state.toLowerCase()}`, ...time },
    deprecated: { state, replacement: 'web-v1' },
  }));
  const active = { name: 'web-active', ...time, deprecated: { state: 'ACTIVE' } };
  stage.sandbox.control.compute.load({
    projects: [{ project, images: [{ name: 'web-v1', family: 'web', ...time }, active, ...states] }],
    imageProjects: [{ project: lab, images: [{ name: 'miner', ...time }] }],
  });
  session = await stage.open();
});
afterEach(() => stage.close());

const calls = (): readonly string[] =>
  actionsOf(stage)
    .filter((action) => action.startsWith('images.'))
    .toSorted();
const fail = (effect: Effect, times?: number): void => {
  const match = { action: 'compute.images.get', ...(times === undefined ? {} : { times }) };
  stage.sandbox.control.faults.add({ match, effect });
};
const ask = async (...images: readonly string[]): Promise<Pick<ImageFacts, 'read' | 'unread'>> =>
  (await session.imageFacts?.(images, recordedCall())) ?? { read: [], unread: [] };

describe('facts of images', () => {
  test('of several owners, by one call for each image', async () => {
    assert.deepEqual(await ask(at(project, 'web-v1'), at(lab, 'miner')), {
      read: [
        { image: at(project, 'web-v1'), owner: project, verified: false, deprecated: false, createdAt: created },
        { image: at(lab, 'miner'), owner: lab, verified: false, deprecated: false, createdAt: created },
      ],
      unread: [],
    });
    assert.deepEqual(calls(), ['images.get', 'images.get']);
    assert.deepEqual(stage.sandbox.control.log.entries({ mutating: true }), []);
  });

  test('a family stands for its newest image, and Google vouches for a public one', async () => {
    const { read } = await ask(family, superseded);
    assert.deepEqual(
      read.map(({ image, owner, verified, deprecated }) => [image, owner, verified, deprecated]),
      [
        [family, 'debian-cloud', true, false],
        [superseded, 'debian-cloud', true, true],
      ],
    );
    const ages = read.map(({ createdAt = 0 }) => Math.floor((stage.clock.now() - createdAt) / day));
    assert.deepEqual(ages, [30, 86]);
    assert.deepEqual(calls(), ['images.get', 'images.getFromFamily']);
  });

  test('each spelling of an image has its facts, by one call', async () => {
    const path = at(project, 'web-v1');
    const images = ['global/images/web-v1', path, `https://www.googleapis.com/compute/v1/${path}`, path];
    const { read } = await ask(...images);
    assert.deepEqual(
      read.map(({ image, owner }) => [image, owner]),
      images.slice(0, 3).map((image) => [image, project]),
    );
    assert.deepEqual(calls(), ['images.get']);
  });

  test('the state of an image says that it is deprecated', async () => {
    const names = ['web-active', 'web-deprecated', 'web-obsolete', 'web-deleted'];
    const { read } = await ask(...names.map((name) => at(project, name)));
    assert.deepEqual(
      read.map(({ deprecated }) => deprecated),
      [false, true, true, true],
    );
  });
});

describe('images whose facts are not read', () => {
  test('an unknown image leaves the others known', async () => {
    const [gone, none, noFamily] = [at(project, 'gone'), 'web-v1', at(lab, 'family/web')];
    const { read, unread } = await ask(gone, at(project, 'web-v1'), none, noFamily);
    assert.deepEqual(
      read.map(({ image }) => image),
      [at(project, 'web-v1')],
    );
    assert.deepEqual(
      unread.map(({ image }) => image),
      [gone, none, noFamily],
    );
    const [first, second, third] = unread.map(({ reason }) => reason);
    assert.match(first ?? '', /^the image was not read: notFound: .*images\/gone' was not found/);
    assert.match(second ?? '', /^this is neither projects\//);
    assert.match(third ?? '', /^the image was not read: notFound: .*family\/web' was not found/);
    assert.deepEqual(calls(), ['images.get', 'images.get', 'images.getFromFamily'], 'what is gone is not asked again');
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
    const images = [at(project, 'web-v1'), at(lab, 'miner')];
    await assert.rejects(async () => session.imageFacts?.(images, call), { name: 'AbortError' });
    assert.deepEqual(calls(), ['images.get']);
  });

  test('a throttled call alone is repeated, and a denied one leaves its image unknown', async () => {
    fail({ kind: 'throttle' }, 1);
    assert.equal((await ask(at(project, 'web-v1'), at(lab, 'miner'))).read.length, 2);
    assert.equal(calls().length, 3);
    fail({ kind: 'access-denied' });
    const { read, unread } = await ask(at(project, 'web-v1'), family);
    assert.deepEqual(
      read.map(({ image }) => image),
      [family],
    );
    assert.match(
      unread.map(({ reason }) => reason).join(),
      /^the image was not read: forbidden: .*compute\.images\.get/,
    );
    assert.ok(calls().length < 5 + maxAttempts, 'a denial is not asked again');
  });
});
