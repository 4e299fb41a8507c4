import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Touch } from '../../../src/core/last-modified.ts';
import { handleEvents, webhooksOn } from '../../../src/http/webhooks/handle-events.ts';
import type { Provider } from '../../../src/ports/provider.ts';
import type { Queue } from '../../../src/ports/queue.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const north = 'aws/111122223333/eu-north-1';
const south = 'aws/111122223333/eu-south-1';

const touchOf = (scope: string, action = 'CreateTags', at = 0): Touch => ({
  scope,
  event: 'AWS API Call via CloudTrail',
  at,
  actor: { who: 'arn:aws:iam::111122223333:user/ada', action },
  objects: ['sg-1'],
});

/** A provider that takes events for touches as they are; all else is not asked for. */
const readsTouches = async (): Promise<Provider> => {
  const provider: Pick<Provider, 'cloud' | 'touches'> = { cloud: 'aws', touches: (event) => event as readonly Touch[] }; // why: the test's own events
  return provider as Provider; // why: hearing reads events and nothing else
};

function ears({
  cloud = readsTouches,
  ours = [],
}: {
  readonly cloud?: typeof readsTouches;
  readonly ours?: readonly string[];
} = {}) {
  const store = memoryDatabase(virtualClock()).connect();
  const asked: string[] = [];
  const kept: Touch[] = [];
  const queue: Pick<Queue, 'request'> = {
    request: async ({ estate, scope }, urgency) => void asked.push(`${estate} ${scope} ${urgency}`),
  };
  return {
    store,
    asked,
    kept,
    ears: {
      cloud,
      queue,
      requests: store.fleet.requests,
      log: silent,
      touches: {
        keep: async (_: string, touches: readonly Touch[]) => {
          const others = touches.filter(({ requestId }) => requestId === undefined || !ours.includes(requestId));
          kept.push(...others);
          return others;
        },
      },
    },
  };
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const heard = (...events: readonly (readonly Touch[])[]) =>
  ({ estate: 'acme', scopes: [north, south], cloud: 'aws', events }) as const;

describe('events ask for reconciles', () => {
  it('one of each scope, however many events name it', async () => {
    const { store, asked, kept, ears: all } = ears();
    const events = Array.from({ length: 500 }, (_, index) => [touchOf(north, `Call${index}`, index)]);
    await handleEvents(heard(...events, [touchOf(south), touchOf(south)], []), all);
    assert.deepEqual(asked, [`acme ${north} now`, `acme ${south} now`]);
    assert.equal(kept.length, 502);
    const pendingState = await store.fleet.requests.pendingState({ estate: 'acme', scope: north });
    assert.deepEqual([pendingState.request, pendingState.reason], [1, 'event Call499 and 499 more']);
    assert.equal(
      (await store.fleet.requests.pendingState({ estate: 'acme', scope: south })).reason,
      'event CreateTags and 1 more',
    );
  });

  for (const { name, events, ours } of [
    { name: 'that name nothing', events: [[], []], ours: [] },
    { name: "of a scope that is none of the estate's", events: [[touchOf('aws/999999999999/eu-north-1')]], ours: [] },
    { name: 'of our own calls', events: [[{ ...touchOf(north), requestId: 'r-1' }]], ours: ['r-1'] },
  ])
    it(`but not events ${name}`, async () => {
      const { store, asked, kept, ears: all } = ears({ ours });
      await handleEvents(heard(...events), all);
      assert.deepEqual([asked, kept], [[], []]);
      assert.deepEqual(await store.fleet.requests.unanswered(), []);
    });

  it('nor those of a cloud that tells of nothing', async () => {
    const { asked, ears: all } = ears({ cloud: async () => ({ ...(await readsTouches()), touches: () => [] }) });
    await handleEvents(heard([touchOf(north)]), all);
    assert.deepEqual(asked, []);
  });
});

describe('the hooks of a worker', () => {
  it('ask the store for each delivery, in their order, and know the scopes of an estate', async () => {
    const { asked, ears: all } = ears();
    const questions: string[] = [];
    const hooks = webhooksOn({
      ...all,
      clock: virtualClock(),
      touches: {
        ...all.touches,
        first: async (estate, { hook, id }) => {
          questions.push(`${estate} ${hook} ${id}`);
          return id !== 'b';
        },
      },
      wakeUps: { add: async () => {} },
      secrets: { resolve: async (ref) => ({ ok: true, value: `the value of ${ref.env}` }) },
      allowEndpoint: false,
      activeWebhooks: async () => [{ estate: 'acme', webhooks: [], scopes: [north] }],
    });
    assert.deepEqual(await hooks.firstDeliveries('acme', 'web', ['a', 'b', 'c']), [true, false, true]);
    assert.deepEqual(questions, ['acme web a', 'acme web b', 'acme web c']);
    assert.equal(await hooks.resolveSecret({ env: 'X' }), 'the value of X');
    await hooks.handleEvents('acme', 'aws', [[touchOf(north)], [touchOf(south)]]);
    await hooks.handleEvents('other', 'aws', [[touchOf(north)]]);
    assert.deepEqual(asked, [`acme ${north} now`]);
  });
});
