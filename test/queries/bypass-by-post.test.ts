import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { treeOf } from '../support/fleet-world.ts';
import {
  type AnswersWorld,
  activeWorldByFolder,
  applied,
  approve,
  bringIn,
  labelled,
  postPlan,
} from './support/answers-world.ts';
import { type Attempt, refusedAttempts } from './support/attempt.ts';

const byPost: readonly Attempt[] = [
  {
    way: 'of what she posted',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ada', 'ada');
      return approve(world, 'adaAgain');
    },
  },
  {
    way: 'of what she posted and somebody else brought into force',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ada', 'bob');
      return approve(world, 'ada');
    },
  },
  {
    way: 'of what somebody else posted and she brought into force',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'bob', 'ada');
      return approve(world, 'ada');
    },
  },
  {
    way: 'of what a token of nobody posted, by that token',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ci', 'ci');
      return approve(world, 'ci');
    },
  },
  {
    way: 'of what a token of nobody posted, by who may hold it',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ci', 'ci');
      return approve(world, 'ada');
    },
  },
  {
    way: 'of what a token of nobody posted and somebody else brought into force',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ci', 'bob');
      return approve(world, 'ada');
    },
  },
  {
    way: 'of what somebody else posted and a token of nobody brought into force',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'bob', 'nobody');
      return approve(world, 'ada');
    },
  },
  {
    way: 'of what a token of nobody posted before others wrote more',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ci', 'ci');
      await bringIn(world, labelled('c'), ['bob@acme.example']);
      await world.reconcile();
      return approve(world, 'ada');
    },
  },
  {
    way: 'of what she posted, posted again by somebody else',
    status: 403,
    from: activeWorldByFolder,
    try: async (world) => {
      await applied(world, 'ada', 'ada');
      await world.api.ask('bob', `POST /v1/plans/${await postPlan(world, 'bob')}/apply`, {
        body: { reason: 'the same' },
      });
      return approve(world, 'ada');
    },
  },
  {
    way: 'by a plan of hers that sets the mode to enforce',
    status: 422,
    from: activeWorldByFolder,
    try: (world) => posting(world, { mode: 'enforce' }),
  },
  {
    way: 'by a plan of hers that lifts the limits',
    status: 422,
    from: activeWorldByFolder,
    try: (world) => posting(world, { mode: 'plan', limits: { deletes: 500 } }),
  },
  {
    way: 'by a plan that has run out',
    status: 404,
    from: activeWorldByFolder,
    try: async (world) => {
      const id = await postPlan(world, 'ada');
      await world.clock.advance(8 * 86_400_000);
      return world.api.ask('ada', `POST /v1/plans/${id}/apply`, { body: { reason: 'late' } });
    },
  },
  {
    way: 'by a plan made beside other specs',
    status: 409,
    from: activeWorldByFolder,
    try: async (world) => {
      const id = await postPlan(world, 'ada');
      await bringIn(world, labelled('d'), ['bob@acme.example']);
      return world.api.ask('ada', `POST /v1/plans/${id}/apply`, { body: { reason: 'late' } });
    },
  },
  {
    way: 'by a plan that was brought into force before',
    status: 409,
    from: activeWorldByFolder,
    try: async (world) => {
      const id = await applied(world, 'ada', 'ada');
      return world.api.ask('ada', `POST /v1/plans/${id}/apply`, { body: { reason: 'again' } });
    },
  },
  {
    way: 'by the id of a plan that there is none of',
    status: 404,
    from: activeWorldByFolder,
    try: (world) =>
      world.api.ask('ada', 'POST /v1/plans/00000000-0000-4000-8000-000000000000/apply', { body: { reason: 'guess' } }),
  },
  {
    way: 'by a plan of what is in force',
    status: 409,
    try: async (world) => {
      const { text } = await world.api.ask('ada', 'POST /v1/plans', { body: { active: true } });
      return world.api.ask('ada', `POST /v1/plans/${JSON.parse(text).id}/apply`, { body: { reason: 'mine' } });
    },
  },
  {
    way: 'by a post beside a repository that is followed',
    status: 409,
    from: activeWorldByFolder,
    try: async (world) => {
      const id = await postPlan(world, 'ada');
      await world.store.leases.acquire('acme', 'specs', 'worker-1');
      return world.api.ask('ada', `POST /v1/plans/${id}/apply`, { body: { reason: 'mine' } });
    },
  },
  {
    way: 'by a post that a pin forbids',
    status: 409,
    from: activeWorldByFolder,
    try: async (world) => {
      const id = await postPlan(world, 'ada');
      const { revision } = (await world.store.generations.current('acme')) ?? assert.fail();
      await world.store.sources.pins.pin('acme', revision, { person: 'bob', reason: 'a freeze' });
      return world.api.ask('ada', `POST /v1/plans/${id}/apply`, { body: { reason: 'mine' } });
    },
  },
];

const posting = (world: AnswersWorld, estate: object) =>
  world.api.ask('ada', 'POST /v1/plans', { body: { specs: treeOf(labelled('b'), estate).specs } });

describe('a change of one’s own, posted', () => refusedAttempts(byPost));
