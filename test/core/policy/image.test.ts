import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImageFact } from '../../../src/core/observed.ts';
import { imagesBy } from '../../../src/core/policy/image.ts';
import type { ResourceView } from '../../../src/core/policy/view.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 27);
const at = { cloud: 'aws', target: 'aws', account: '1', region: 'r', labels: {} } as const;
const machine = (image?: string): ResourceView => ({
  ...at,
  ...{ kind: 'instance', address: 'aws/1/r/instance/web-0', name: 'web-0', power: 'running', publicIp: false },
  ...(image === undefined ? {} : { image }),
});
const fact = (image: string, more: Partial<ImageFact> = {}): ImageFact => ({
  ...{ image, owner: '1', verified: false, deprecated: false },
  ...more,
});

const observation = {
  at: now,
  images: {
    at: now,
    read: [
      fact('ami-old', { createdAt: now - 200 * day - 1, verified: true }),
      fact('ami-ahead', { createdAt: now + day }),
      fact('ami-dateless', { deprecated: true }),
    ],
    unread: [{ image: 'ami-gone', reason: 'AWS has no image ami-gone' }],
  },
};
const imageOf = imagesBy({ observation });

const cases: readonly (readonly [name: string, view: ResourceView, want: unknown])[] = [
  [
    'the age is in whole days',
    machine('ami-old'),
    { createdAt: now - 200 * day - 1, age: 200, owner: '1', verified: true, deprecated: false },
  ],
  [
    'a clock ahead makes no negative age',
    machine('ami-ahead'),
    { createdAt: now + day, age: 0, owner: '1', verified: false, deprecated: false },
  ],
  ['an image without a date has no age', machine('ami-dateless'), { owner: '1', verified: false, deprecated: true }],
  [
    'an unknown image has the reason of the cloud',
    machine('ami-gone'),
    { unread: 'the facts of the image ami-gone are unknown: AWS has no image ami-gone' },
  ],
  [
    'an image that nobody read says so',
    machine('ami-new'),
    { unread: 'the facts of the image ami-new are unknown: no observation has read them yet' },
  ],
  ['a machine without a known image says so', machine(), { unread: 'its image is unknown' }],
  ['a network has no image', { ...at, kind: 'network', address: 'aws/1/r/network/core', name: 'core' }, undefined],
];
for (const [name, view, want] of cases) test(name, () => assert.deepEqual(imageOf(view), want));

test('a stored observation that did not ask for an image says so, and one that the cloud does not know stays unknown', () => {
  const ofStored = imagesBy({ observation, isStored: true });
  assert.deepEqual(ofStored(machine('ami-new')), {
    unread: 'the facts of the image ami-new are unknown: no observation has read them yet',
    isUnasked: true,
  });
  assert.deepEqual(ofStored(machine('ami-gone')), imageOf(machine('ami-gone')));
});
