import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network } from '../support/engine-world/documents.ts';
import { type AnswersWorld, activeWorld, approve, bringIn, labelled, offered } from './support/answers-world.ts';
import { type Attempt, refusedAttempts } from './support/attempt.ts';

const ada = ['ada@acme.example'];
const whole = (
  world: AnswersWorld,
  who: string,
  digest: string,
  {
    headers = {},
    ...more
  }: Readonly<Record<string, unknown>> & { readonly headers?: Readonly<Record<string, string>> } = {},
) => world.api.ask(who, 'POST /v1/approvals', { body: { digest, reason: 'mine', ...more }, headers });

const digestOf = async (world: AnswersWorld): Promise<string> => (await offered(world, 'bob')).digest;

const byCredential: readonly Attempt[] = [
  ['by herself', 'ada'],
  ['by another token of hers', 'adaAgain'],
  ['by her address in other letters', 'adaLoud'],
  ['by her address in wide letters', 'adaWide'],
  ['by her address with blanks', 'adaSpaced'],
  ['by her address with a tag', 'adaTagged'],
  ['by a token whose first address is another', 'adaSecond'],
  ['by a token with another role', 'adaApprover'],
  ['by a token that has her address as its person only', 'adaByPerson'],
  ['by a subject that is no address', 'adaBySubject'],
  ['by a token of nobody', 'nobody'],
].map(([way = '', who = '']) => ({ way, status: 403, try: (world) => approve(world, who) }));

const byRole: readonly Attempt[] = ['viewer', 'planner', 'operator'].map((who) => ({
  way: `as ${who}`,
  status: 403,
  try: async (world) => whole(world, who, await digestOf(world)),
}));

const byBody: readonly Attempt[] = [
  {
    way: 'by the beginning of a digest',
    status: 400,
    try: async (world) => whole(world, 'bob', (await digestOf(world)).slice(0, 12)),
  },
  {
    way: 'by a digest in capitals',
    status: 400,
    try: async (world) => whole(world, 'bob', (await digestOf(world)).toUpperCase()),
  },
  {
    way: 'in the name of another person',
    status: 400,
    try: async (world) => whole(world, 'ada', await digestOf(world), { person: 'bob' }),
  },
  {
    way: 'with names of one’s own',
    status: 400,
    try: async (world) => whole(world, 'ada', await digestOf(world), { identities: ['bob@acme.example'] }),
  },
  {
    way: 'for no target',
    status: 400,
    try: async (world) => whole(world, 'ada', await digestOf(world), { targets: [] }),
  },
  {
    way: 'for the target that it is of',
    status: 403,
    try: async (world) => whole(world, 'ada', await digestOf(world), { targets: ['here'] }),
  },
  {
    way: 'for a target that it is not of',
    status: 409,
    try: async (world) => whole(world, 'ada', await digestOf(world), { targets: ['there'] }),
  },
  {
    way: 'in another estate',
    status: 404,
    try: async (world) => whole(world, 'ada', await digestOf(world), { estate: 'other' }),
  },
  {
    way: 'by the digest of a plan',
    status: 409,
    try: async (world) => {
      const { text } = await world.api.ask('ada', 'POST /v1/plans', { body: { active: true } });
      return whole(world, 'ada', `${JSON.parse(text).digest.slice(0, 63)}0`);
    },
  },
  {
    way: 'with a header that names another',
    status: 403,
    try: async (world) =>
      whole(world, 'ada', await digestOf(world), {
        headers: { 'x-forwarded-user': 'bob', 'x-setpoint-person': 'bob' },
      }),
  },
  {
    way: 'again by an Idempotency-Key',
    status: 403,
    try: async (world) => {
      const digest = await digestOf(world);
      await whole(world, 'ada', digest, { headers: { 'idempotency-key': 'k1' } });
      return whole(world, 'ada', digest, { headers: { 'idempotency-key': 'k1' } });
    },
  },
  {
    way: 'by the Idempotency-Key of somebody who may',
    status: 409,
    try: async (world) => {
      const digest = await digestOf(world);
      // why: bob's approval is not ada's, and ends the actions that she would approve
      await whole(world, 'bob', digest, { headers: { 'idempotency-key': 'k2' } });
      return whole(world, 'ada', digest, { headers: { 'idempotency-key': 'k2' } });
    },
  },
];

const byHistory: readonly Attempt[] = [
  {
    way: 'once somebody else has changed something else',
    status: 403,
    try: async (world) => {
      await bringIn(world, [...labelled('b'), network({}, { name: 'other' })], ['bob@acme.example']);
      await world.reconcile();
      return approve(world, 'ada');
    },
  },
  {
    way: 'once somebody else has reverted it, and reverted that',
    status: 403,
    try: async (world) => {
      await bringIn(world, [...labelled('a'), network({}, { name: 'other' })], ['bob@acme.example']);
      await bringIn(world, [...labelled('b'), network({}, { name: 'more' })], ['bob@acme.example']);
      await world.reconcile();
      return approve(world, 'ada');
    },
  },
  {
    way: 'once a folder says the same, of which nobody knows who made it',
    status: 403,
    try: async (world) => {
      await bringIn(world, [...labelled('b'), network({}, { name: 'other' })], undefined);
      await world.reconcile();
      return approve(world, 'ada');
    },
  },
  {
    way: 'among so many authors that not all are known',
    status: 403,
    from: activeWorld,
    try: async (world) => {
      await bringIn(world, labelled('b'), ['bob@acme.example'], true);
      await world.reconcile();
      return approve(world, 'root');
    },
  },
  {
    way: 'before it is in force: what was approved of the generation before is not of the next',
    status: 409,
    from: activeWorld,
    try: async (world) => {
      await bringIn(world, labelled('c'), ['bob@acme.example']);
      await world.reconcile();
      const { digest } = await offered(world, 'ada');
      assert.equal((await whole(world, 'ada', digest)).status, 201);
      await bringIn(world, [...labelled('c'), network({}, { name: 'other' })], ada);
      await world.reconcile();
      return whole(world, 'ada', digest);
    },
  },
];

const attempts = [...byCredential, ...byRole, ...byBody, ...byHistory];

describe('a change of one’s own', () => {
  it('has been tried in many ways', () => assert.ok(attempts.length >= 30, `${attempts.length}`));
  refusedAttempts(attempts);
});
