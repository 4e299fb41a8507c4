import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchTags, markTags, partTags } from '../../../providers/memory/marks.ts';
import { markFor } from '../../support/fixtures.ts';
import { furnish, openBench, run, tcp } from './bench.ts';

test('every call with its caller and outcome, every change with the call that did it', async () => {
  const bench = openBench();
  bench.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-after' } });
  await bench.met('CreateNetwork', { cidr: '10.0.0.0/16', tags: {} });
  await bench.met('CreateNetwork', { cidr: '10.0.0.0/8', tags: {} });
  bench.cloud.outside.do('DeleteNetwork', { id: bench.cloud.inspect.live()[0]?.id ?? '' });
  assert.deepEqual(
    bench.cloud.history.calls.map(({ seq, caller, action, mutating, answer }) => [
      seq,
      caller,
      action,
      mutating,
      answer.outcome,
    ]),
    [
      [1, 'setpoint', 'CreateNetwork', true, 'lost'],
      [2, 'setpoint', 'CreateNetwork', true, 'InvalidValue'],
      [3, 'outside', 'DeleteNetwork', true, 'ok'],
    ],
  );
  const networks = bench.cloud.history.changes.filter(({ id }) => id.startsWith('net-'));
  assert.deepEqual(
    networks.map(({ seq, caller, before, after }) => [seq, caller, before !== undefined, after !== undefined]),
    [
      [1, 'setpoint', false, true],
      [3, 'outside', true, false],
    ],
  );
});

test('live objects by their marks: parts with their part, machines with their own ordinal, dead ones not', () => {
  const bench = openBench();
  const { subnet } = furnish(bench);
  const { outside, inspect } = bench.cloud;
  outside.do('CreateGateway', { tags: partTags(markFor('memory/acme/north/network/core', 'i1'), 'gateway') });
  const machines = outside.do('RunInstances', {
    ...run(subnet, 3),
    tags: launchTags(markFor('memory/acme/north/instance/web-4', 'i2')),
  });
  outside.do('TerminateInstances', { ids: [machines[1]?.id ?? ''] });
  const marked = inspect
    .live()
    .flatMap(({ type, mark, part }) => (mark ? [[type, mark.address.split('/').at(-1), part]] : []));
  assert.deepEqual(marked, [
    ['gateway', 'core', 'gateway'],
    ['instance', 'web-4', undefined],
    ['instance', 'web-6', undefined],
  ]);
});

test('a copy of a machine bears its mark, and no copy shares its id', () => {
  const bench = openBench();
  const { subnet, group, network } = furnish(bench);
  const { outside, inspect } = bench.cloud;
  const mark = markFor('memory/acme/north/instance/web-0', 'i1');
  const [machine] = outside.do('RunInstances', { ...run(subnet), tags: launchTags(mark) });
  const copy = outside.moreLike(machine?.id ?? '');
  outside.stamp(network, markTags(markFor('memory/acme/north/network/core', 'i0')));
  outside.copyTags(network, group);
  const addresses = inspect.live().flatMap(({ id, mark: found }) => (found ? [[id, found.address]] : []));
  assert.deepEqual(addresses, [
    [network, 'memory/acme/north/network/core'],
    [group, 'memory/acme/north/network/core'],
    [machine?.id, mark.address],
    [copy, mark.address],
  ]);
});

test('every atom with the span of its life', async () => {
  const bench = openBench();
  const { group } = furnish(bench);
  await bench.clock.advance(1000);
  const [rule] = await bench.ask('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(443)] });
  await bench.clock.advance(1000);
  await bench.ask('DescribeRules', {
    group,
    direction: 'ingress',
    rules: [{ id: rule?.id ?? '', description: 'site' }],
  });
  await bench.ask('RevokeRules', { group, direction: 'ingress', ids: [rule?.id ?? ''] });
  await bench.clock.advance(1000);
  await bench.ask('AuthorizeRules', { group, direction: 'ingress', rules: [tcp(443)] });
  const spans = bench.cloud.inspect.atoms().filter(({ key }) => key.startsWith('ingress tcp'));
  const key = 'ingress tcp 443 443 10.9.0.0/16';
  assert.deepEqual(spans, [
    { group, key, from: 1000, until: 2000 },
    { group, key, from: 3000 },
  ]);
});
