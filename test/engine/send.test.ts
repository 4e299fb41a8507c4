import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Failure } from '../../src/core/failure.ts';
import type { ExecutionContext } from '../../src/engine/execution-context.ts';
import type { Ready } from '../../src/engine/intent.ts';
import type { Outcome } from '../../src/engine/ports.ts';
import { withUsers } from '../../src/engine/send.ts';
import { attributes, create, desired, observed, remove } from '../support/actions.ts';

type Answer =
  | { readonly ok: true; readonly value: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

const subnet = observed('subnet', 'subnet-1', attributes.subnet());
const deletion = { item: { verb: 'delete', action: remove('core.app', subnet) } };
const creation = { item: { verb: 'create', action: create(desired('subnet', 'core.app', attributes.subnet())) } };
const refused = (kind: 'conflict' | 'terminal' | 'not-found', message = 'It is in use.'): Failure => ({
  kind,
  code: 'DependencyViolation',
  message,
});

/** Sends one outcome so many times in one session, and returns the result. */
async function told(
  answer: Answer | undefined,
  outcome: object,
  { ready = deletion, times = 1 }: { ready?: object | undefined; times?: number } = {},
) {
  const asked: string[] = [];
  const usersOf = async (id: string) => {
    asked.push(id);
    return answer;
  };
  const session = { actuators: { subnet: answer === undefined ? {} : { usersOf } } };
  // why: naming who stands there asks for nothing else
  const desk = { at: { site: { session } }, calls: { reading: () => ({}) } } as unknown as ExecutionContext;
  let outcomes: readonly Outcome[] = [];
  for (let n = 0; n < times; n += 1)
    // why: as above
    outcomes = await withUsers([ready as unknown as Ready], [outcome as Outcome], desk);
  return { outcomes, asked };
}

describe('what stands where something cannot be deleted', () => {
  const users: Answer = { ok: true, value: ['eni-1 (of a load balancer)', 'eni-2'] };
  for (const as of ['stale', 'failed'] as const)
    it(`is named in the message of what is ${as}`, async () => {
      const outcome = { as, failure: refused('conflict'), expected: 'look' };
      const { outcomes, asked } = await told(users, outcome);
      const message = 'It is in use. There stands eni-1 (of a load balancer); eni-2.';
      assert.deepEqual(outcomes, [{ ...outcome, failure: { ...outcome.failure, message } }]);
      assert.deepEqual(asked, ['subnet-1']);
    });

  for (const [message, begins] of [
    ['It is in use.', 'It is in use. There'],
    ['It is in use', 'It is in use. There'],
    ['a.b is in use', 'a.b is in use. There'],
    ['', '. There'],
  ] as const)
    it(`one sentence after another: ${JSON.stringify(message)}`, async () => {
      const { outcomes } = await told(users, { as: 'stale', failure: refused('conflict', message) });
      const [outcome] = outcomes;
      assert.ok(outcome && 'failure' in outcome && outcome.failure?.message.startsWith(`${begins} stands`));
    });

  it('that it could not be read is said', async () => {
    const denied: Answer = { ok: false, failure: { kind: 'terminal', code: 'Denied', message: 'not allowed' } };
    const { outcomes } = await told(denied, { as: 'stale', failure: refused('conflict') });
    const message = 'It is in use. What stands there could not be read: not allowed';
    assert.deepEqual(outcomes, [{ as: 'stale', failure: { ...refused('conflict'), message } }]);
  });

  it('it is asked for once in a session', async () => {
    assert.deepEqual((await told(users, { as: 'stale', failure: refused('conflict') }, { times: 3 })).asked, [
      'subnet-1',
    ]);
  });

  const untouched: readonly (readonly [name: string, answer: Answer | undefined, outcome: object, ready?: object])[] = [
    ['nothing stands there', { ok: true, value: [] }, { as: 'stale', failure: refused('conflict') }],
    ['the cloud cannot be asked', undefined, { as: 'stale', failure: refused('conflict') }],
  ];
  for (const [name, answer, outcome] of untouched)
    it(`${name}: the outcome stays as it is`, async () =>
      assert.deepEqual((await told(answer, outcome)).outcomes, [outcome]));

  const unasked: readonly (readonly [name: string, outcome: object, ready?: object | undefined])[] = [
    ['a deletion that is done', { as: 'done' }],
    ['one that was withheld', { as: 'withheld', code: 'limit', why: 'why' }],
    ['one that was denied', { as: 'failed', failure: refused('terminal') }],
    ['one of what is gone', { as: 'stale', failure: refused('not-found') }],
    ['a creation', { as: 'stale', failure: refused('conflict') }, creation],
    [
      'what lets go only',
      { as: 'stale', failure: refused('conflict') },
      { item: { verb: 'delete', action: creation.item.action } },
    ],
  ];
  for (const [name, outcome, ready] of unasked)
    it(`${name}: nobody asks`, async () => {
      const { outcomes, asked } = await told(users, outcome, ready === undefined ? {} : { ready });
      assert.deepEqual([outcomes, asked], [[outcome], []]);
    });
});
