import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storm } from '../../../providers/memory/faults.ts';
import { furnish, openBench, run } from './bench.ts';

const network = { cidr: '10.0.0.0/16', tags: {} };

const cases = [
  { name: 'refused: nothing is done', fault: { do: 'refuse', code: 'Denied' }, met: 'Denied', stands: 0 },
  { name: 'lost before: nothing is done', fault: { do: 'lost-before' }, met: 'ConnectionReset', stands: 0 },
  { name: 'lost after: it is done all the same', fault: { do: 'lost-after' }, met: 'ConnectionReset', stands: 1 },
  { name: 'an error after: it is done all the same', fault: { do: 'error-after' }, met: 'InternalError', stands: 1 },
] as const;
for (const { name, fault, met, stands } of cases) {
  test(name, async () => {
    const bench = openBench();
    bench.cloud.faults.add({ on: 'CreateNetwork', fault });
    assert.equal(await bench.met('CreateNetwork', network), met);
    assert.equal(bench.cloud.outside.do('ListNetworks', {}).items.length, stands);
  });
}

test('the nth matching request is struck, and no other; a spent rule strikes no more', async () => {
  const bench = openBench();
  bench.cloud.faults.add({ on: 'writes', nth: 2, fault: { do: 'refuse', code: 'Denied' } });
  bench.cloud.faults.add({ on: 'reads', times: 1, fault: { do: 'refuse', code: 'ServiceUnavailable' } });
  const met: string[] = [];
  for (let i = 0; i < 3; i++) met.push(await bench.met('ListNetworks', {}), await bench.met('CreateNetwork', network));
  assert.deepEqual(met, ['ServiceUnavailable', 'ok', 'ok', 'Denied', 'ok', 'ok']);
});

test('equal seeds meet equal fates, other seeds others', async () => {
  const fate = async (seed: number): Promise<string> => {
    const bench = openBench({ seed });
    bench.cloud.faults.add(...storm(0.1));
    const met: string[] = [];
    await bench.clock.run(async () => {
      for (let i = 0; i < 40; i++)
        met.push(await bench.met('CreateNetwork', network), await bench.met('ListNetworks', {}));
    });
    return met.join();
  };
  assert.equal(await fate(7), await fate(7));
  assert.notEqual(await fate(7), await fate(8));
  assert.match(await fate(7), /ok/);
});

test('a delay passes before the write, a late answer after it', async () => {
  for (const [fault, atOnce] of [
    ['delay', 0],
    ['delay-after', 1],
  ] as const) {
    const bench = openBench();
    bench.cloud.faults.add({ on: 'writes', fault: { do: fault, ms: 3000 } });
    const answer = bench.ask('CreateNetwork', network);
    await bench.clock.advance(0);
    assert.equal(bench.cloud.outside.do('ListNetworks', {}).items.length, atOnce, fault);
    await bench.clock.advance(3000);
    await answer;
    assert.equal(bench.cloud.outside.do('ListNetworks', {}).items.length, 1, fault);
  }
});

test('while a write spreads, reads see it or not; afterwards always', async () => {
  const bench = openBench();
  bench.cloud.faults.add({ on: 'reads', fault: { do: 'lag', ms: 60_000 } });
  const made = await bench.ask('CreateNetwork', network);
  const looks = async (): Promise<ReadonlySet<number>> => {
    const seen = new Set<number>();
    for (let i = 0; i < 30; i++) seen.add((await bench.ask('ListNetworks', {})).items.length);
    return seen;
  };
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([0, 1]), 'it flickers');
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([1]), 'it stands');
  await bench.ask('DeleteNetwork', { id: made.id });
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([0, 1]), 'it lingers');
  await bench.clock.advance(30_000);
  assert.deepEqual(await looks(), new Set([0]), 'it is gone');
});

test('a flickering listing misses some and says nothing; an unreachable zone is said', async () => {
  const bench = openBench();
  for (let i = 0; i < 50; i++) bench.cloud.outside.do('CreateNetwork', network);
  bench.cloud.faults.add({ on: 'ListNetworks', times: 1, fault: { do: 'flicker', share: 0.5 } });
  const flickered = await bench.ask('ListNetworks', {});
  assert.ok(flickered.items.length > 10 && flickered.items.length < 40 && flickered.next === undefined);
  bench.cloud.faults.add({ on: 'ListNetworks', times: 1, fault: { do: 'unreachable' } });
  assert.notEqual((await bench.ask('ListNetworks', {})).unreachable, undefined);
  assert.equal((await bench.ask('ListNetworks', {})).items.length, 50);
});

test('a budget that is spent refuses, says which lane, and fills with time', async () => {
  const bench = openBench();
  const { subnet } = furnish(bench);
  const launch = (count: number, token: string): Promise<string> =>
    bench.met('RunInstances', run(subnet, count, token));
  const met = [await launch(999, 'a'), await launch(2, 'b')];
  await bench.clock.advance(1000);
  met.push(await launch(2, 'b'), await launch(1, 'c'), await launch(1, 'd'));
  assert.deepEqual(met, ['ok', 'Throttled', 'ok', 'ok', 'Throttled']);
  const lanes = bench.cloud.inspect.overBudget().map(({ answer }) => answer.dryLane);
  assert.deepEqual(lanes, Array(2).fill('memory/acme/north/RunInstances/machines'));
});
