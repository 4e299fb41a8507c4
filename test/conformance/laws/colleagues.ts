import assert from 'node:assert/strict';
import type { Observed } from '../../../src/core/observed.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { edits } from '../edits.ts';
import type { Law } from '../law.ts';
import { changesBetween, failureKinds, look, type Stage } from '../stage.ts';
import { just, where } from '../subject.ts';
import { type EditOn, editOn } from './updates.ts';

/** Past every block of the edits. */
const block = '203.0.113.0/24';

/** When the colleague adds it. `waiting`: the write waits a minute for its budget meanwhile. */
const moments = ['before our read', 'waiting', 'between read and write', 'after our write'] as const;
type Moment = (typeof moments)[number];

export const colleagueLaws: readonly Law[] = [
  {
    name: 'a block that a colleague adds to a rule while we write it is lost only between our last read and the write',
    kinds: where(just('firewall-rule'), ({ manners }) => manners.lostBetween !== undefined),
    hold: async (stage) => {
      const { subject } = stage;
      const lost = new Map<Moment, string[]>(moments.map((moment) => [moment, []]));
      for (const edit of edits) {
        const isMade = edit.fits?.(subject) !== false && !subject.manners.refused.includes(edit.name);
        if (edit.kind !== 'firewall-rule' || !isMade) continue;
        for (const moment of moments)
          if (await isLost(await editOn(stage, edit), moment, stage)) lost.get(moment)?.push(edit.name);
      }
      assert.deepEqual(Object.fromEntries(lost), {
        'before our read': [],
        waiting: [],
        'between read and write': subject.manners.lostBetween,
        'after our write': [],
      });
    },
  },
];

async function isLost({ revision, update }: EditOn, moment: Moment, stage: Stage): Promise<boolean> {
  const { beside, clock } = stage.harness;
  assert.ok(beside, 'the harness has a colleague');
  // why: the edit is one of a rule
  const observed = revision.observed as Observed<'firewall-rule'>;
  const { peers } = observed.attributes.match;
  const add = [observed.id, block, peers] as const;
  if (moment === 'before our read') await beside.addBefore('read', ...add);
  if (moment === 'between read and write') await beside.addBefore('write', ...add);
  const results = await update(
    recordedCall(undefined, async ({ mutating }) => {
      if (!mutating || moment !== 'waiting') return;
      await beside.addNow(...add);
      await clock.sleep(60_000, new AbortController().signal);
    }),
  );
  if (moment === 'after our write') {
    const { match } = (await standing(stage, observed)).attributes;
    await beside.addNow(observed.id, block, match.peers);
  }
  const seen = await standing(stage, observed);
  const without = seen.attributes.match.peers.filter((peer) => peer !== block);
  const rest = { ...seen.attributes, match: { ...seen.attributes.match, peers: without } };
  const [kind] = failureKinds(results);
  assert.ok(kind === 'ok' || kind === 'conflict', JSON.stringify(results));
  // why: as above
  const expected = (kind === 'ok' ? revision.desired : observed).attributes as RuleAttributes;
  assert.deepEqual(changesBetween('firewall-rule', expected, rest), [], 'all or nothing of the plan is done');
  return without.length === seen.attributes.match.peers.length;
}

async function standing(stage: Stage, { id }: Observed): Promise<Observed<'firewall-rule'>> {
  const seen = await look(stage, 'firewall-rule', id);
  assert.ok(seen, 'it is still the same object');
  return seen;
}
