import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begun, bench, custom, PROJECT, refusalOf } from './network-bench.ts';

const ID = '11111111-2222-4333-8444-555555555555';

const HOUR = 3_600_000;

describe('a request id', () => {
  it('makes a repeated request answer the operation of the first', async () => {
    await using made = await bench();
    const insert = async () =>
      begun(await made.sdk.networks.insert({ project: PROJECT, networkResource: custom('core'), requestId: ID }));
    const first = await insert();
    const second = await insert();
    assert.deepEqual([second.name, second.clientOperationId], [first.name, ID]);
    made.sandbox.control.clock.advance(5000);
    assert.deepEqual([(await insert()).name, (await insert()).status], [first.name, 'DONE']);
    assert.equal((await made.raw('GET', 'global/operations')).body.items.length, 1);
  });

  it('answers for a deletion too, when the thing is long gone', async () => {
    await using made = await bench();
    await made.done('POST', 'global/networks', custom('core'));
    const path = `global/networks/core?requestId=${ID}`;
    const { name } = (await made.done('DELETE', path)).body;
    assert.equal((await made.raw('DELETE', path)).body.name, name);
    assert.equal(refusalOf(await made.raw('DELETE', 'global/networks/core')), '404 notFound');
  });

  it('is refused for another request', async () => {
    await using made = await bench();
    await made.done('POST', `global/networks?requestId=${ID}`, custom('core'));
    const other = await made.raw('POST', `global/networks?requestId=${ID}`, custom('other'));
    assert.equal(refusalOf(other), '400 invalid');
    assert.match(other.body.error.message, /requestId.*different request/);
    assert.equal(refusalOf(await made.raw('DELETE', `global/networks/core?requestId=${ID}`)), '400 invalid');
  });

  it('does not stick to a request that was refused', async () => {
    await using made = await bench();
    await made.raw('POST', `global/networks?requestId=${ID}`, custom('Bad'));
    assert.equal(refusalOf(await made.raw('POST', `global/networks?requestId=${ID}`, custom('good'))), 'accepted');
  });

  it('does stick when the answer was lost', async () => {
    await using made = await bench();
    made.sandbox.control.faults.add({ match: { times: 1 }, effect: { kind: 'reset-after' } });
    await assert.rejects(made.raw('POST', `global/networks?requestId=${ID}`, custom('core')));
    const { body } = await made.raw('POST', `global/networks?requestId=${ID}`, custom('core'));
    assert.equal(body.clientOperationId, ID);
    assert.equal((await made.raw('GET', 'global/operations')).body.items.length, 1);
  });

  it('is forgotten after an hour', async () => {
    await using made = await bench();
    await made.raw('POST', `global/networks?requestId=${ID}`, custom('core'));
    made.sandbox.control.clock.advance(HOUR - 1);
    assert.equal(refusalOf(await made.raw('POST', `global/networks?requestId=${ID}`, custom('core'))), 'accepted');
    made.sandbox.control.clock.advance(1);
    assert.equal(
      refusalOf(await made.raw('POST', `global/networks?requestId=${ID}`, custom('core'))),
      '409 alreadyExists',
    );
  });

  for (const bad of ['1', '00000000-0000-0000-0000-000000000000', `${ID}0`]) {
    it(`must be a UUID, not ${bad}`, async () => {
      await using made = await bench();
      const answer = await made.raw('POST', `global/networks?requestId=${bad}`, custom('core'));
      assert.equal(refusalOf(answer), '400 invalid');
    });
  }
});
