import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScopePlan } from '../../../src/core/action.ts';
import { usualGrace } from '../../../src/core/grace.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Removals } from '../../../src/core/plan/plan-input.ts';
import { planText } from '../../../src/core/render/plan-text.ts';
import { at, input, know, looked, net, ours, settle, standing, standingSubnet, subnet } from './fixture.ts';

/** A worker's plan, and that of a person who deletes at once, of a machine without a document. */

const address = at('instance', 'web-0');
const web = ours('instance', 'web-0', 'i-1', {
  placement: { subnet: 'subnet-1', publicIp: false },
  machine: { image: 'img', size: 'small', power: 'running' },
  labels: {},
});
const generation = 2;
const hour = usualGrace.instance;
const noGrace = { ...usualGrace, instance: 0 };

function planned(removals: Partial<Removals>, since?: number): ScopePlan {
  const seen = [standing, standingSubnet, web];
  const known = know(seen);
  const tombstone = { kind: 'instance', address, generation, authority: 'mode' } as const;
  return plan(
    input([net, subnet], looked(seen), {
      knowledge: {
        ...known,
        settled: new Map([...known.settled, ['i-1', settle('instance', address, { deletionPolicy: 'delete' })]]),
        readAt: 2 * hour,
        tombstones: since === undefined ? new Map() : new Map([['i-1', { ...tombstone, since, until: since + hour }]]),
      },
      choices: { removals: { generation, ...removals } },
    }),
  );
}

interface Case {
  readonly name: string;
  readonly removals: Partial<Removals>;
  /** The beginning of its grace. */
  readonly since?: number;
  /** The text of its deletion; absent: it waits. */
  readonly text?: string;
  readonly isSkipped?: boolean;
}

const ended = '1970-01-01 01:00 UTC';
const later = '1970-01-01 02:30 UTC';
const cases: readonly Case[] = [
  { name: 'a worker begins its grace', removals: { grace: usualGrace }, text: 'removed; deleted after a grace of 1 h' },
  { name: 'a worker waits for the end', removals: { grace: usualGrace }, since: 1.5 * hour },
  {
    name: 'a worker deletes at the end',
    removals: { grace: usualGrace },
    since: 0,
    text: `removed; its grace ended ${ended}`,
  },
  { name: 'a worker deletes what has no grace', removals: { grace: noGrace }, text: 'removed' },
  {
    name: 'a person skips all of it',
    removals: { skipped: usualGrace },
    text: 'removed; deleted now',
    isSkipped: true,
  },
  {
    name: 'a person skips the rest of it',
    removals: { skipped: usualGrace },
    since: 1.5 * hour,
    text: `removed; deleted now, in its grace until ${later}`,
    isSkipped: true,
  },
  {
    name: 'a person skips none that is over',
    removals: { skipped: usualGrace },
    since: 0,
    text: `removed; its grace ended ${ended}`,
  },
  { name: 'a person skips none where there is none', removals: { skipped: noGrace }, text: 'removed' },
];

describe('a deletion and its grace', () => {
  for (const { name, removals, since, text, isSkipped = false } of cases)
    it(name, () => {
      const made = planned(removals, since);
      const shown = planText([made], { revision: 'r1' });
      assert.equal(/- instance web-0 {2}(.*)/.exec(shown)?.[1], text);
      assert.equal(shown.includes('Apply deletes 1 machine now, without the grace of workers.'), isSkipped);
      assert.deepEqual(
        made.actions.map((one) => 'skipsGrace' in one),
        text === undefined ? [] : [isSkipped],
      );
    });
});
