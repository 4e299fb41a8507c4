import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Action, actions, isUnfiltered, requestFor } from '../../../providers/aws/rate-limits.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { makeEstate } from './estate.ts';

const scope = 'aws/111122223333/eu-west-1';
const folder = new URL('../../../providers/aws/', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'));

/** Figures of https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html */
const published: readonly (readonly [Action, number, number])[] = [
  ['DescribeInstances', 100, 20],
  ['CreateVpc', 50, 5],
  ['AuthorizeSecurityGroupIngress', 50, 5],
  ['AuthorizeSecurityGroupEgress', 50, 5],
  ['RunInstances', 5, 2],
  ['StartInstances', 5, 2],
  ['StopInstances', 50, 5],
  ['TerminateInstances', 100, 5],
  ['CreateTags', 100, 10],
  ['DeleteTags', 100, 10],
];

describe('what EC2 allows', () => {
  for (const [action, capacity, perSecond] of published) {
    test(`${action}: ${capacity}, ${perSecond} a second`, () => {
      const { budget } = actions[action];
      assert.equal(budget.shape === 'bucket' && `${budget.capacity} ${budget.perSecond}`, `${capacity} ${perSecond}`);
    });
  }

  test('launches, starts, stops and terminations take an instance token each', () => {
    const second = (action: Action): unknown => {
      const cost = requestFor(scope, action, { instances: 7 }).costs[1];
      return cost && [cost.amount, cost.rateLimit.budget.shape === 'bucket' && cost.rateLimit.budget.perSecond];
    };
    assert.deepEqual(second('RunInstances'), [7, 2]);
    assert.deepEqual(second('StartInstances'), [7, 2]);
    assert.deepEqual(second('StopInstances'), [7, 20]);
    assert.deepEqual(second('TerminateInstances'), [7, 20]);
    assert.equal(second('CreateTags'), undefined);
  });

  test('each row names its source', () => {
    for (const { budget } of Object.values(actions)) assert.match(budget.source, /^https:\/\/docs\.aws\.amazon\.com\//);
  });

  test('one rate limit for each action of an account and region', () => {
    const keys = Object.keys(actions).map((action) => requestFor(scope, action as Action).costs[0]?.rateLimit.key); // why: the keys are the actions
    assert.equal(new Set(keys).size, Object.keys(actions).length);
    assert.ok(keys.every((key) => key?.startsWith(`${scope}/`)));
  });

  test('reads are told from writes', () => {
    assert.equal(requestFor(scope, 'DescribeVpcs').mutating, false);
    assert.equal(requestFor(scope, 'GetCallerIdentity').mutating, false);
    assert.equal(requestFor(scope, 'CreateTags').mutating, true);
  });

  test('every row is called somewhere, and every command that is made has a row', () => {
    const made = new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/new (?:[\w.]+\.)?([A-Z]\w+)Command\(/g)].map(([, name = '']) => name),
      ),
    );
    assert.deepEqual([...made].toSorted(), Object.keys(actions).toSorted());
  });
});

describe('what a read says of how much it wants', () => {
  const reads: readonly (readonly [Action, object, readonly (readonly [string, number, number])[]])[] = [
    ['DescribeInstances', { MaxResults: 1000 }, [['DescribeInstances', 100, 20]]],
    ['DescribeInstances', { MaxResults: 1000, NextToken: 'x' }, [['DescribeInstances', 100, 20]]],
    ['DescribeVolumes', { Filters: [{}] }, [['DescribeVolumes', 100, 20]]],
    ['DescribeVpcs', { VpcIds: ['vpc-1'] }, [['DescribeVpcs', 100, 20]]],
    ...(['DescribeInstances', 'DescribeSecurityGroups', 'DescribeVolumes'] as const).map(
      (action) =>
        [
          action,
          { GroupIds: ['sg-1'], MaxResults: undefined },
          [
            [action, 100, 20],
            [`${action}:unfiltered`, 50, 10],
          ],
        ] as const,
    ),
  ];
  for (const [action, input, want] of reads)
    test(`${action} ${JSON.stringify(input)}: ${want.length === 1 ? 'the usual bucket' : 'the smaller one too'}`, () => {
      const { costs } = requestFor(scope, action, { unfiltered: isUnfiltered(input) });
      const got = costs.map(({ rateLimit: { key, budget }, amount }) => [
        key.slice(scope.length + 1),
        budget.shape === 'bucket' && budget.capacity,
        budget.shape === 'bucket' && budget.perSecond,
        amount,
      ]);
      assert.deepEqual(
        got,
        want.map((each) => [...each, 1]),
      );
    });

  test('the client tells it by what it sends', async (t) => {
    const { stage, session, group } = await makeEstate();
    t.after(() => stage.close());
    const call = recordedCall();
    for await (const _ of session.actuators.group.list(call));
    await session.actuators.group.read([group.id], call);
    const rateLimits = call.admitted.map(({ costs }) => costs.map(({ rateLimit }) => rateLimit.key.split('/').at(-1)));
    assert.deepEqual(rateLimits.at(0), ['DescribeSecurityGroups']);
    assert.deepEqual(rateLimits.at(-1), ['DescribeSecurityGroups', 'DescribeSecurityGroups:unfiltered']);
  });
});
