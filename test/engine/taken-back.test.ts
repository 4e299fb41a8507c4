import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { smallWorld } from '../support/small-world.ts';

const machine = machineIn({ image: 'ami-1', size: 'small' });
const labels = { labels: { tier: 'web', team: 'net' } };

test('a label that a document says no more is taken away, from whatever bears labels', async () => {
  const world = smallWorld();
  const { metadata, spec } = network({}, labels);
  await world.apply([{ kind: 'Network', metadata, spec }, machine('web', {}, labels)]);
  await world.clock.advance(600_000);
  const kept = { labels: { team: 'net' } };
  const fewer = [network({}, kept), machine('web', {}, kept)];
  await world.apply(fewer);
  await world.clock.advance(600_000);
  const { last, writes } = await world.apply(fewer);
  assert.deepEqual(writes, []);
  const borne = (last?.observation.resources ?? []).flatMap(({ kind, attributes }) =>
    'labels' in attributes && 'team' in attributes.labels ? [[kind, attributes.labels['tier']]] : [],
  );
  assert.ok(borne.some(([kind]) => kind === 'network') && borne.some(([kind]) => kind === 'instance'));
  assert.deepEqual(
    borne.filter(([, tier]) => tier !== undefined),
    [],
  );
});

test('rules that overlap keep each its own words, and are written once', async () => {
  const world = smallWorld();
  const all = [
    network(),
    rule('wide', { ports: ['80-90'], description: 'wide' }),
    rule('one', { ports: [85], description: 'one' }),
    machine('web'),
  ];
  await world.apply(all);
  await world.clock.advance(600_000);
  const { last, writes } = await world.apply(all);
  assert.deepEqual(writes, []);
  const said = (last?.observation.resources ?? []).flatMap(({ attributes }) =>
    'match' in attributes && attributes.description !== ''
      ? [`${attributes.match.ports} ${attributes.description}`]
      : [],
  );
  assert.deepEqual(said.toSorted(), ['80-90 wide', '85 one']);
});
