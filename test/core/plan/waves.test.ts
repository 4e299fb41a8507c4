import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pausePolicy } from '../../../src/core/plan/policies.ts';
import { at } from './fixture.ts';
import { machines, planned, standing, web } from './rollouts.ts';

type Given = Parameters<typeof planned>[0];
const rows: readonly { name: string; given: Given; want: readonly string[] }[] = [
  {
    name: 'twenty are asked for anew: one goes first, and the others wait for it',
    given: { replicas: 20, there: standing(0, 19, 'old') },
    want: ['replace web-0', '19 wave: wave 1 of 3: 0 of 20 done; waits for web-0'],
  },
  {
    name: 'none is there yet: one is made first',
    given: { replicas: 20, there: [] },
    want: ['create web-0', '19 wave: wave 1 of 3: 0 of 20 done; waits for web-0'],
  },
  {
    name: 'the first is still starting: nobody goes on',
    given: { replicas: 20, there: [...standing(0, 0, 'new', { state: 'pending' }), ...standing(1, 19, 'old')] },
    want: ['19 wave: wave 1 of 3: 1 of 20 done; waits for web-0 to be running'],
  },
  {
    name: 'the first runs: a tenth goes next, by ordinal and not by text',
    given: { replicas: 20, there: [...standing(0, 0, 'new'), ...standing(1, 19, 'old')] },
    want: ['replace web-1', 'replace web-2', '17 wave: wave 2 of 3: 1 of 20 done; waits for web-1 and 1 more'],
  },
  {
    name: 'a wave that is half done goes on, though its first machine is still starting',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new'), ...standing(1, 1, 'new', { state: 'pending' }), ...standing(2, 19, 'old')],
    },
    want: ['replace web-2', '17 wave: wave 2 of 3: 2 of 20 done; waits for web-2'],
  },
  {
    name: 'the second wave is done and one of it still starts: the third waits',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new', { state: 'pending' }), ...standing(1, 2, 'new'), ...standing(3, 19, 'old')],
    },
    want: ['17 wave: wave 2 of 3: 3 of 20 done; waits for web-0 to be running'],
  },
  {
    name: 'several still start: the first is named, and how many more',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new'), ...standing(1, 2, 'new', { state: 'pending' }), ...standing(3, 19, 'old')],
    },
    want: ['17 wave: wave 2 of 3: 3 of 20 done; waits for web-1 to be running and 1 more'],
  },
  {
    name: 'all earlier waves run: the rest goes at once',
    given: { replicas: 5, there: [...standing(0, 1, 'new'), ...standing(2, 4, 'old')], rollout: [1, 1, 'rest'] },
    want: ['replace web-2', 'replace web-3', 'replace web-4'],
  },
  {
    name: 'all is done: nothing is said',
    given: { replicas: 3, there: standing(0, 2, 'new') },
    want: [],
  },
  {
    name: 'what stood as wanted before counts as done: more of the same go at once',
    given: { replicas: 20, there: standing(0, 16, 'new') },
    want: ['create web-17', 'create web-18', 'create web-19'],
  },
  {
    name: 'more machines and another image: a new one is the first to have it',
    given: { replicas: 4, there: standing(0, 1, 'old'), rollout: [1, 1, 'rest'] },
    want: ['create web-2', '3 wave: wave 1 of 3: 0 of 4 done; waits for web-2'],
  },
  {
    name: 'fewer replicas: those that go count too, and go last, from the highest',
    given: { replicas: 1, there: [...standing(0, 0, 'new'), ...standing(1, 11, 'new')], rollout: [1, 2, 'rest'] },
    want: ['delete web-10', 'delete web-11', '9 wave: wave 2 of 3: 1 of 12 done; waits for web-11 and 1 more'],
  },
  {
    name: 'fewer replicas and another image: nothing goes before what stays is done',
    given: { replicas: 2, there: standing(0, 3, 'old'), rollout: [1, 1, 'rest'] },
    want: ['replace web-0', '3 wave: wave 1 of 3: 0 of 4 done; waits for web-0'],
  },
  {
    name: 'drift is healed whatever the wave, and the next wave waits for that',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new', { relabelled: true }), ...standing(1, 19, 'old')],
    },
    want: ['update web-0', '19 wave: wave 1 of 3: 1 of 20 done; waits for web-0 (drifted)'],
  },
  {
    name: 'one that was done and is gone comes back whatever the wave',
    given: {
      replicas: 20,
      there: [...standing(1, 2, 'new'), ...standing(3, 19, 'old')],
      lost: standing(0, 0, 'new'),
    },
    want: ['create web-0', '17 wave: wave 2 of 3: 3 of 20 done; waits for web-0 (drifted)'],
  },
  {
    name: 'one that is gone, and is asked for otherwise by now, is new, and so of the first wave',
    given: { replicas: 20, there: standing(0, 18, 'old'), lost: standing(19, 19, 'old'), rollout: [2, 'rest'] },
    want: ['replace web-0', 'create web-19', '18 wave: wave 1 of 2: 0 of 20 done; waits for web-19 and 1 more'],
  },
  {
    name: 'a rollout that stopped: nothing of it passes, and it is said where it stands and how to go on or back',
    given: {
      replicas: 20,
      there: [...standing(0, 0, 'new'), ...standing(1, 19, 'old')],
      choices: { stopped: [{ document: web, why: 'replace instance web-1 failed: no such image.' }] },
    },
    want: [
      `19 rollout-stopped: stopped in wave 2 of 3: 1 of 20 done. replace instance web-1 failed: no such image. To go on: setpoint resume --rollout-of ${web} --reason "…"; to go back: commit the former spec.`,
    ],
  },
  {
    name: 'drift is healed in a rollout that stopped',
    given: {
      replicas: 2,
      there: [...standing(0, 0, 'new', { relabelled: true }), ...standing(1, 1, 'old')],
      choices: { stopped: [{ document: web, why: 'x' }] },
    },
    want: [
      'update web-0',
      `1 rollout-stopped: stopped in wave 1 of 2: 1 of 2 done. x. To go on: setpoint resume --rollout-of ${web} --reason "…"; to go back: commit the former spec.`,
    ],
  },
  {
    name: 'another rollout that stopped is none of its business',
    given: {
      replicas: 1,
      there: standing(0, 0, 'old'),
      choices: { stopped: [{ document: at('instance', 'db'), why: 'x' }] },
    },
    want: ['replace web-0'],
  },
  {
    name: 'a document that says `then: [rest]` has no waves',
    given: { replicas: 3, there: [], rollout: ['rest'], choices: { stopped: [{ document: web, why: 'x' }] } },
    want: ['create web-0', 'create web-1', 'create web-2'],
  },
  {
    name: 'asked for at once: no waves',
    given: { replicas: 3, there: [], rollout: [1, 'rest'], choices: { atOnce: true } },
    want: ['create web-0', 'create web-1', 'create web-2'],
  },
];

describe('waves', () => {
  for (const { name, given, want } of rows) it(name, () => assert.deepEqual(planned(given), want));

  it('of which the first is held back by something else do not go on with the second', () => {
    const freeze = { reason: 'x', person: 'ann', until: 0 };
    const of = { by: 'address', name: at('instance', 'web-0') } as const;
    const policies = [pausePolicy([{ what: 'all', of, ...freeze }], machines({ replicas: 0, there: [] }).wanted)];
    const got = planned({ replicas: 4, there: [], rollout: [1, 1, 'rest'], choices: { policies } });
    assert.deepEqual(got.at(-1), '3 wave: wave 1 of 3: 0 of 4 done; waits for web-0 (held back)');
    assert.equal(got.length, 2);
  });
});
