import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { markFor, recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, project, scope } from '../../support/gcp-session.ts';
import {
  create,
  createOne,
  type Estate,
  instanceOf,
  listOf,
  makeEstate,
  must,
  networkOf,
  ruleOf,
  said,
  subnetOf,
} from './estate.ts';

let estate: Estate;
before(async () => {
  estate = await makeEstate();
});
after(() => estate.stage.close());

const strike = (
  action: string,
  effect: Parameters<Estate['stage']['sandbox']['control']['faults']['add']>[0]['effect'],
) => estate.stage.sandbox.control.faults.add({ match: { action: `compute.${action}`, times: 1 }, effect });

describe('a creation whose answer was lost', () => {
  const rows = [
    ['networks.insert', () => networkOf('lost')],
    ['subnetworks.insert', () => subnetOf('core.lost', estate.network.id, '10.20.7.0/24')],
    ['firewalls.insert', () => ruleOf(estate)],
    ['instances.insert', () => instanceOf(estate, 'lost-0')],
  ] as const;
  for (const [action, creation] of rows) {
    test(`${action}: sent again it is the first one's object, though the first is still being made`, async () => {
      const asked = creation();
      const kind = asked.desired.kind;
      const before = (await listOf(estate, kind)).length;
      strike(action, { kind: 'reset-after' });
      assert.equal(said((await create(estate, [asked]))[0])?.split(' ')[0], 'ambiguous');
      const { id } = await createOne(estate, asked);
      const all = await listOf(estate, kind);
      assert.equal(all.length, before + 1);
      assert.deepEqual(all.find((one) => one.id === id)?.signs.mark, asked.mark);
    });
  }

  test('by another process, without its token’s memory: found by name and mark', async () => {
    const asked = networkOf('found');
    strike('networks.insert', { kind: 'reset-after' });
    await create(estate, [asked]);
    estate.stage.sandbox.control.clock.advance(60_000);
    const { id } = await createOne(estate, { ...asked, token: 'another-token' });
    assert.match(id, /networks\/found#\d+$/);
    assert.equal((await listOf(estate, 'network')).filter(({ name }) => name === 'found').length, 1);
  });
});

describe('a name that is taken', () => {
  test('by a colleague: a conflict that says what to do, and theirs stays as it is', async () => {
    await byHand(estate.stage, 'POST', 'global/networks', { name: 'theirs', autoCreateSubnetworks: false });
    const [result] = await create(estate, [networkOf('theirs')]);
    assert.ok(result?.ok === false);
    assert.equal(result.failure.kind, 'conflict');
    assert.match(
      result.failure.message,
      /networks\/theirs#\d+ already exists there .*adopt: \{ <target>: .*another name/,
    );
    const theirs = (await listOf(estate, 'network')).find(({ name }) => name === 'theirs');
    assert.equal(theirs?.signs.mark, undefined);
  });
  test('by somebody who copied our mark for another intent: a conflict all the same', async () => {
    const ours = networkOf('copied');
    await createOne(estate, ours);
    const again = { ...ours, token: 'other', mark: markFor(ours.desired.address, 'another-intent') };
    assert.match(said((await create(estate, [again]))[0]), /^conflict /);
  });
});

describe('an operation that fails', () => {
  test('is a failure of what it was to do, with the cloud’s code', async () => {
    strike('instances.insert', { kind: 'operation-error', code: 'QUOTA_EXCEEDED', status: 403, message: 'no CPUs' });
    const [result] = await create(estate, [instanceOf(estate, 'over-0')]);
    assert.equal(said(result), 'terminal QUOTA_EXCEEDED');
  });
  test('and reconciles goes again under another request id: the old one would be answered with the old failure', async () => {
    strike('instances.insert', { kind: 'operation-error', code: 'ZONE_RESOURCE_POOL_EXHAUSTED', status: 503 });
    const asked = instanceOf(estate, 'again-0');
    const [first] = await create(estate, [asked]);
    assert.equal(said(first), 'retryable ZONE_RESOURCE_POOL_EXHAUSTED');
    assert.match((await createOne(estate, asked)).id, /instances\/again-0#\d+$/);
  });
});

describe('a batch', () => {
  test('goes side by side, and is awaited together: far fewer looks than items', async () => {
    const call = recordedCall();
    const batch = Array.from({ length: 12 }, (_, i) => instanceOf(estate, `fleet-${i}`));
    const results = await create(estate, batch, call);
    assert.deepEqual(
      results.map((result) => must(result).name),
      batch.map(({ desired }) => desired.name),
    );
    assert.equal(writesOf(call).length, 12);
    const looks = call.admitted.filter(({ action }) => action.includes('Operations.'));
    assert.ok(looks.length <= 10, `${looks.length} looks`);
    // why: the last that is left may be waited for by itself
    const alone = looks.filter(({ action }) => action === 'zoneOperations.wait');
    assert.ok(alone.length <= 1 && looks.length > alone.length, `${alone.length} of ${looks.length} looks are for one`);
  });

  test('that is stopped while it is awaited is ambiguous, as it may yet be done', async () => {
    const stop = new AbortController();
    const call = recordedCall(stop.signal, ({ action }) => {
      if (action.includes('Operations.')) stop.abort(new Error('the lease is lost'));
      stop.signal.throwIfAborted();
    });
    const results = await create(estate, [instanceOf(estate, 'stop-0'), instanceOf(estate, 'stop-1')], call);
    assert.deepEqual(results.map(said), ['ambiguous NotAwaited', 'ambiguous NotAwaited']);
  });

  test('whose looks are refused is ambiguous too', async () => {
    const { faults } = estate.stage.sandbox.control;
    const action = ['compute.globalOperations.wait', 'compute.globalOperations.list'];
    const id = faults.add({ match: { action }, effect: { kind: 'access-denied' } });
    const [result] = await create(estate, [networkOf('unseen')]);
    faults.remove(id);
    assert.equal(said(result), 'ambiguous NotAwaited');
  });

  test('whose looks are throttled waits them out', async () => {
    const { faults } = estate.stage.sandbox.control;
    const id = faults.add({
      match: { action: 'compute.globalOperations.wait', times: 2 },
      effect: { kind: 'throttle' },
    });
    const [result] = await create(estate, [networkOf('patient')]);
    faults.remove(id);
    assert.equal(said(result), 'ok');
  });
});

describe('groups', () => {
  test('are no objects: nothing is listed, and nothing can be made of them', async () => {
    const { group } = estate.session.actuators;
    assert.deepEqual(await listOf(estate, 'group'), []);
    const desired = { ...networkOf('x').desired, kind: 'group' as const, attributes: { network: 'n', labels: {} } };
    const creation = { token: 't', mark: markFor(`${scope}/global/group/x`, 't'), desired };
    const [made] = await group.create([creation], recordedCall());
    assert.equal(said(made), 'terminal NoObject');
    assert.ok(made?.ok === false && made.failure.message.includes('network tag'));
    assert.deepEqual(await group.read([`tag:${project}`], recordedCall()), [{ ok: true, value: undefined }]);
  });
});
