import assert from 'node:assert/strict';
import { test } from 'node:test';
import { group, network, rule } from '../../../support/engine-world/documents.ts';
import { zone } from '../../../support/gcp-session.ts';
import { type GcpWorld, gcpWorld, machine } from './gcp-world.ts';

async function tags({ ask }: GcpWorld): Promise<readonly (readonly string[])[]> {
  const firewalls = await ask<{ readonly items: readonly { readonly targetTags: readonly string[] }[] }>(
    'GET',
    'global/firewalls',
  );
  const vm = await ask<{ readonly tags: { readonly items: readonly string[] } }>(
    'GET',
    `zones/${zone}/instances/web-0`,
  );
  return [firewalls.body.items.flatMap(({ targetTags }) => targetTags), vm.body.tags.items.toSorted()];
}

test('a group is the network tag that its document names, or adopts; a change of it leaves no machine without its rule', async () => {
  await using world = await gcpWorld();
  const rest = [network(), rule('https'), machine('web')];
  await world.apply(rest);
  const documented = await world.apply([...rest, group('web')]);
  assert.deepEqual([documented.left, documented.writes], [[], []]);
  const named = await world.apply([...rest, group('web', { names: { here: 'www' } })]);
  assert.deepEqual(
    [named.left, named.writes],
    [[], ['firewalls.insert 200', 'instances.setTags 200', 'firewalls.delete 200']],
  );
  assert.deepEqual(await tags(world), [['www'], ['core-all', 'www']]);
  const adopted = await world.apply([...rest, group('web', {}, { adopt: { here: 'www' } })]);
  assert.deepEqual([adopted.left, adopted.writes], [[], []]);
});
