import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Effect } from '../../../sandbox/faults.ts';
import { maxAttempts } from '../../../src/core/failure.ts';
import type { ImageFacts } from '../../../src/core/observed.ts';
import { compareText } from '../../../src/core/text.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { type AwsStage, account, openAwsStage, region } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf } from './estate.ts';

const [amazons, own, strangers, sold, backup] = [
  'ami-0abc0abc0abc0abc0',
  ...['ami-0000000000000a001', 'ami-0000000000000a002', 'ami-0000000000000a003', 'ami-0000000000000a004'],
] as const;
const [unknown, stranger] = ['ami-0000000000000ffff', '444455556666'] as const;
const created = '2023-01-31T08:00:00.000Z';
const day = 86_400_000;

let stage: AwsStage;
let session: Session;
beforeEach(async () => {
  stage = await openAwsStage();
  const images = [
    { id: own, creationDate: created, deprecationTime: '2025-01-31T08:00:00.000Z' },
    { id: strangers, owner: stranger, creationDate: created, deprecationTime: '2025-01-31T08:00:00.000Z' },
    { id: sold, owner: stranger, ownerAlias: 'aws-marketplace', creationDate: created },
    { id: backup, owner: account, ownerAlias: 'aws-backup-vault', creationDate: created },
  ];
  stage.sandbox.control.ec2.load({ regions: [{ account, region, images }] });
  session = await stage.open();
});
afterEach(() => stage.close());

const calls = (): number => actionsOf(stage).filter((action) => action === 'DescribeImages').length;
const fail = (effect: Effect, times?: number): void => {
  const match = { action: 'DescribeImages', ...(times === undefined ? {} : { times }) };
  stage.sandbox.control.faults.add({ match, effect });
};
const ask = async (...images: readonly string[]): Promise<Pick<ImageFacts, 'read' | 'unread'>> => {
  const { read = [], unread = [] } = (await session.imageFacts?.(images, recordedCall())) ?? {};
  return { read: read.toSorted((a, b) => compareText(a.image, b.image)), unread };
};

describe('facts of images', () => {
  test('of several owners, by one call; deprecated ones too', async () => {
    const createdAt = Date.parse(created);
    assert.deepEqual(await ask(own, strangers, sold, backup), {
      read: [
        { image: own, owner: account, verified: false, deprecated: true, createdAt },
        { image: strangers, owner: stranger, verified: false, deprecated: true, createdAt },
        { image: sold, owner: stranger, verified: true, deprecated: false, createdAt },
        { image: backup, owner: account, verified: false, deprecated: false, createdAt },
      ],
      unread: [],
    });
    assert.equal(calls(), 1);
    assert.deepEqual(stage.sandbox.control.log.entries({ mutating: true }), []);
  });

  test('an image of Amazon is verified, and deprecated as its date is over', async () => {
    const { read } = await ask(amazons);
    const [{ createdAt = 0, ...fact } = {}] = read;
    assert.deepEqual(fact, { image: amazons, owner: '137112412989', verified: true, deprecated: false });
    const age = stage.clock.now() - createdAt;
    assert.ok(age >= 30 * day && age < 31 * day, `${age} ms`);
    stage.sandbox.control.clock.advance(699 * day);
    assert.equal((await ask(amazons)).read[0]?.deprecated, false);
    stage.sandbox.control.clock.advance(2 * day);
    assert.equal((await ask(amazons)).read[0]?.deprecated, true);
  });

  test('an unknown image leaves the others known', async () => {
    const { read, unread } = await ask(own, unknown, 'ami-*', '');
    assert.deepEqual(
      read.map(({ image }) => image),
      [own],
    );
    assert.deepEqual(unread, [
      { image: unknown, reason: 'EC2 lists no such image for this account' },
      { image: 'ami-*', reason: 'AWS has no image with such an id' },
      { image: '', reason: 'AWS has no image with such an id' },
    ]);
  });

  test('each is read once, 200 by one call', async () => {
    const many = Array.from({ length: 200 }, (_, at) => `ami-${(at + 4096).toString(16).padStart(17, '0')}`);
    const { read, unread } = await ask(...many, own, own);
    assert.deepEqual([read.length, unread.length, calls()], [1, 200, 2]);
    assert.deepEqual((await ask()).read, []);
    assert.equal(calls(), 2, 'no image, no call');
  });

  test('a denied call says so of each, and a throttled one is asked again', async () => {
    fail({ kind: 'throttle' }, 1);
    assert.equal((await ask(own)).read.length, 1);
    assert.equal(calls(), 2);
    fail({ kind: 'access-denied' });
    const { read, unread } = await ask(own, sold);
    assert.deepEqual([read, unread.map(({ image }) => image)], [[], [own, sold]]);
    for (const { reason } of unread)
      assert.match(reason, /^images were not listed: UnauthorizedOperation: .*ec2:DescribeImages/);
    assert.ok(calls() < 2 + maxAttempts, 'a denial is not asked again');
  });

  test('a cancelled reconcile throws, though one call was answered', async () => {
    const many = Array.from({ length: 200 }, (_, at) => `ami-${(at + 4096).toString(16).padStart(17, '0')}`);
    const cancel = new AbortController();
    let begun = 0;
    const call = recordedCall(cancel.signal, async () => {
      begun += 1;
      if (begun === 1) return;
      while (call.reported.length === 0) await nextTurn();
      cancel.abort();
    });
    await assert.rejects(async () => session.imageFacts?.([...many, own], call), { name: 'AbortError' });
    assert.equal(calls(), 1);
  });

  test('a call that stops throws', async () => {
    const stop = new Error('the reconcile stops');
    const call = recordedCall(undefined, () => {
      throw stop;
    });
    await assert.rejects(async () => session.imageFacts?.([own], call), stop);
  });
});
