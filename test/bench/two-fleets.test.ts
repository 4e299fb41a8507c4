import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { type Account, twoFleets } from '../../bench/two-fleets.ts';
import { account, region } from '../../bench/world/stage.ts';
import type { Control } from '../../sandbox/control.ts';

const short = { reconciles: 60, turns: 2, starts: 3, startsOnAws: 1 };

test('two estates leave each other alone, and two stores of one both stop', async () => {
  const figures = await twoFleets(short);
  assert.deepEqual(
    figures.map(({ name, value }) => [name, value]),
    [
      ['two-fleets', 0],
      ['two-fleets-aws', 0],
      ['same-start', 0],
    ],
  );
});

test('what one does to the other is counted, and so is a store that goes on', async () => {
  const figures = await twoFleets(short, { inMemory: meddle, onAws: meddleOnAws });
  assert.deepEqual(
    figures.map((figure) => missed(figure)?.replace(/value \d+/, 'value N')),
    ['two-fleets: value N is over 0', 'two-fleets-aws: value N is over 0', 'same-start: value N is over 0'],
  );
});

/** One of the two tags what the other has made, whatever its mark says; of two stores, the first no longer sees that the second is there. */
async function meddle({ cloud }: Account): Promise<void> {
  const live = cloud.inspect.live();
  const makerOf = (id: string) => cloud.history.changes.find((change) => change.id === id)?.caller;
  const theirs = live.find(({ id }) => makerOf(id) === 'south' || makerOf(id) === 'north') ?? live[0];
  const caller = {
    name: makerOf(theirs?.id ?? '') === 'north' ? 'south' : 'north',
    scope: 'memory/acme/north',
    signal: new AbortController().signal,
  };
  cloud.faults.clear();
  if (theirs) await cloud.serve(caller, 'TagObjects', { ids: [theirs.id], tags: { team: 'ours' } });
  for (const { id, mark } of live)
    if (mark?.store.startsWith('2')) cloud.outside.stamp(id, { 'setpoint:estate': 'nobodys' });
}

/** A request in the log of the fleet whose turn it is, for networks of both; and the second store's marks become another's. */
function meddleOnAws({ ec2, log, clock }: Control): void {
  const { vpcs, subnets, gateways, routeTables, groups, instances } = ec2.region(account, region);
  const params = Object.fromEntries([...vpcs.values()].map(({ id }, n) => [`ResourceId.${n + 1}`, id]));
  const asked = { time: clock.now(), service: 'ec2', account, region, action: 'CreateTags', params };
  log.add({ ...asked, mutating: true, status: 200, errorCode: undefined, requestId: 'meddled', applied: true });
  const isSecond = ({ tags }: { readonly tags: ReadonlyMap<string, string> }): boolean =>
    tags.get('setpoint:store')?.startsWith('2') === true;
  const nobodys = <T extends { readonly tags: ReadonlyMap<string, string> }>(table: Rows<T>): void => {
    for (const one of [...table.values()].filter(isSecond))
      table.put({ ...one, tags: new Map([...one.tags, ['setpoint:estate', 'nobodys']]) });
  };
  nobodys(vpcs);
  nobodys(subnets);
  nobodys(gateways);
  nobodys(routeTables);
  nobodys(groups);
  nobodys(instances);
}

interface Rows<T> {
  values(): Iterable<T>;
  put(row: T): unknown;
}
