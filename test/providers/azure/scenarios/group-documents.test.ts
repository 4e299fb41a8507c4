import assert from 'node:assert/strict';
import { test } from 'node:test';
import { group, network, rule } from '../../../support/engine-world/documents.ts';
import { azureWorld, machine } from './azure-world.ts';

const web = (name: string) => group('web', { names: { here: name } }, { labels: { tier: 'web' } });

test('a group has the name of its document, in whatever case; another name is blocked, and moves no machine', async () => {
  await using world = await azureWorld();
  const rest = [network(), rule('https'), machine('web')];
  const made = await world.apply([...rest, web('asg-web.prod')]);
  assert.deepEqual([made.outcome, made.left], ['done', []]);
  const { status, tags } = await world.ask('GET', 'Network/applicationSecurityGroups/asg-web.prod');
  assert.deepEqual([status, tags?.['tier']], [200, 'web']);
  const respelt = await world.apply([...rest, web('ASG-web.prod')]);
  assert.deepEqual([respelt.left, respelt.writes], [[], []]);
  const renamed = await world.apply([...rest, web('asg-shop')]);
  assert.deepEqual([renamed.left, renamed.writes], [['blocked immutable group/core.web'], []]);
});

test('a document without names changes nothing of a group that stands', async () => {
  await using world = await azureWorld();
  const rest = [network(), rule('https'), machine('web')];
  await world.apply(rest);
  const { outcome, writes, left } = await world.apply([...rest, group('web')]);
  assert.deepEqual([outcome, writes, left], ['done', [], []]);
});
