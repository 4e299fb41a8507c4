import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { unchangedWorld } from '../../bench/unchanged-world.ts';

test('a kept plan still applies; what others touch besides what was meant is refused by name, and counted', async () => {
  const rounds: string[] = [];
  const [figure] = await unchangedWorld(8, ({ ec2 }) => {
    rounds.push('round');
    if (rounds.length === 1) return;
    const { instances } = ec2.region('111122223333', 'eu-west-1');
    for (const one of instances.values())
      if (one.tags.get('setpoint:address')?.endsWith('/web-0-0'))
        instances.put({ ...one, tags: new Map([...one.tags, ['tier', 'spoiled']]) });
  });
  assert.equal(rounds.length, 2);
  assert.equal(figure?.value, 2, 'none in the first round; in the second two machines of three');
  assert.match(figure === undefined ? '' : (missed(figure) ?? ''), /unchanged-world: value 2 is over 0/);
});
