import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { without } from '../../bench/hostile-tokens/classes.ts';
import { rows } from '../../bench/hostile-tokens/rows.ts';
import { hostileWorld } from '../../bench/hostile-tokens/world.ts';
import { breachesIn, hostileTokens } from '../../bench/hostile-tokens.ts';

test('nobody is let in', async () => {
  const [figure] = await hostileTokens();
  assert.equal(figure?.name, 'tokens');
  assert.equal(figure.value, 0);
  assert.equal(missed(figure), undefined);
});

test('nothing is fetched but what the access file leads to, whatever a token names', async () => {
  const world = await hostileWorld();
  await breachesIn(world, rows);
  assert.deepEqual(new Set(world.fetched.map((url) => new URL(url).host)), new Set(['login.acme.example']));
});

test('there are as many rows as are promised, each of a class that is shown to matter', () => {
  assert.ok(new Set(rows.map(({ of, what }) => `${of} ${what}`)).size >= 40);
  assert.deepEqual(new Set(rows.map(({ of }) => of)), new Set(Object.keys(without)));
});

describe('a row of each class lets somebody in with its check removed', () => {
  for (const [of, guards] of Object.entries(without))
    test(of, async () => {
      const world = await hostileWorld();
      const breaches = await breachesIn(
        world,
        rows.filter((row) => row.of === of),
        guards,
      );
      assert.ok(
        breaches.some(({ how }) => how === 'taken'),
        'nothing changed',
      );
    });
});
