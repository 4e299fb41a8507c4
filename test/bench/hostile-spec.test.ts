import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proposals } from '../../bench/hostile-spec/proposals.ts';
import { type AttemptResult, attempt, hostileSpec, inWorld } from '../../bench/hostile-spec.ts';

const isHarmless = ({ requests, values, usesOwnIdentity }: AttemptResult): boolean =>
  requests + values === 0 && !usesOwnIdentity;

test('there are twenty proposals and more, each by its own name', () => {
  assert.ok(proposals.length >= 20);
  assert.equal(new Set(proposals.map(({ name }) => name)).size, proposals.length);
});

test('each does harm where nothing stands before it, none where all does, and any line that stops it does so alone', () =>
  inWorld(async (world) => {
    for (const proposal of proposals) {
      const { name, want, stoppedBy } = proposal;
      const open = await attempt(proposal, world, []);
      assert.ok(
        !isHarmless(open),
        `${name}: harmless without any line, so it tests nothing: ${open.ended} ${open.why}`,
      );
      const guarded = await attempt(proposal, world);
      assert.deepEqual([guarded.ended, isHarmless(guarded)], [want, true], `${name}: ${guarded.why}`);
      for (const line of stoppedBy) {
        const alone = await attempt(proposal, world, [line]);
        assert.ok(isHarmless(alone), `${name}: not stopped by ${line}: ${JSON.stringify(alone)}`);
      }
    }
  }));

test('where the comparison is gone, sessions still open as in force, and no secret is read', () =>
  inWorld(async (world) => {
    for (const proposal of proposals) {
      const { requests, values } = await attempt(proposal, world, ['reader', 'eyes', 'secrets']);
      assert.deepEqual([requests, values], [0, 0], proposal.name);
    }
  }));

test('the figures are those of all rows, and see a line that is gone', async () => {
  const rows = proposals.slice(0, 1);
  const values = async (...lines: Parameters<typeof hostileSpec>) =>
    (await hostileSpec(...lines)).map(({ value }) => value);
  assert.deepEqual(await values(rows), [0, 0, 0]);
  const [requests = 0, , planned] = await values(rows, ['reader']);
  assert.ok(requests > 0);
  assert.equal(planned, 1);
});
