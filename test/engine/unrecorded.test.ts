import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { smallWorld } from '../support/small-world.ts';

const documents = [
  network({ internet: false }),
  machineIn({ image: 'img-1', size: 'small' })('web', { replicas: 2 }),
] as const;

it('the store is asked about intents once a look that shows something strange, and never otherwise', async () => {
  const world = smallWorld();
  const asked = mock.method(world.store.inventory, 'unrecorded');
  await world.apply(documents);
  await world.apply([documents[0], machineIn({ image: 'img-2', size: 'small' })('web', { replicas: 2 })]);
  assert.equal(asked.mock.callCount(), 0, 'launches and replacements explain themselves');
  const [one, two] = world.cloud.inspect.live().filter(({ type }) => type === 'instance');
  assert.ok(one && two);
  for (const { id } of [one, two]) world.cloud.outside.moreLike(id);
  const looks = mock.method(world.store.inventory, 'record');
  await world.apply([documents[0], machineIn({ image: 'img-2', size: 'small' })('web', { replicas: 2 })]);
  assert.equal(asked.mock.callCount(), looks.mock.callCount());
  const intents = new Set([one.mark?.intent, two.mark?.intent]);
  assert.deepEqual(asked.mock.calls[0]?.arguments, [[...intents].sort()], 'all strange marks in one question');
});
