import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Client, Sdk } from '../../../providers/azure/client.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { type RecordedCall, recordedCall } from '../../support/fixtures.ts';
import { at, type Came, network, type Reply, type ScriptedArm, scriptedArm } from './scripted-arm.ts';

const open: ScriptedArm[] = [];
after(async () => {
  for (const arm of open) await arm.close();
});

const polled = at('providers/Microsoft.Network/locations/westeurope/operations/op-1');
const vnet = network('virtualNetworks/v');
const put = ({ network: { virtualNetworks } }: Sdk) => virtualNetworks.createOrUpdate('rg', 'v', {});
const remove = ({ network: { virtualNetworks } }: Sdk) => virtualNetworks.delete('rg', 'v');

/** A cloud that accepts every write, and then says these of the operation, one by one. */
async function accepting(...said: readonly Reply[]): Promise<ScriptedArm & { readonly client: Client }> {
  const rest = [...said];
  const arm: ScriptedArm = await scriptedArm(({ method, path }: Came) => {
    if (method === 'PUT') return { status: 201, headers: { 'azure-asyncoperation': arm.url + polled }, body: {} };
    if (method === 'DELETE') return { status: 202, headers: { location: arm.url + polled } };
    if (path === polled) return rest.shift() ?? { body: { status: 'Succeeded' } };
    return { body: { id: vnet, name: 'v', properties: { provisioningState: 'Succeeded' } } };
  });
  open.push(arm);
  return { ...arm, client: await arm.open() };
}

const running: Reply = { body: { status: 'InProgress' } };
const throttled: Reply = {
  status: 429,
  headers: { 'retry-after': '7' },
  body: { error: { code: 'TooManyRequests', message: 'slower' } },
};

interface Keeping extends RecordedCall {
  readonly log: string[];
  readonly kept: Map<string, string>;
}

function keepingCall(signal?: AbortSignal, admit?: Parameters<typeof recordedCall>[1]): Keeping {
  const log: string[] = [];
  const kept = new Map<string, string>();
  const operations: Call['operations'] = {
    keep: async (id, state) => {
      log.push('keep');
      kept.set(id, state);
    },
    drop: async (id) => {
      log.push('drop');
      kept.delete(id);
    },
  };
  return { ...recordedCall(signal, admit), operations, log, kept };
}

const actions = ({ admitted }: RecordedCall): readonly string[] => admitted.map(({ action }) => action);

describe('a long-running operation', () => {
  test('is polled until it ends, each poll admitted, kept as long as it runs', async () => {
    const { client } = await accepting(running, running);
    const call = keepingCall();
    const answer = await client.run(call, put);
    assert.equal(answer.ok && answer.value.name, 'v');
    assert.deepEqual(actions(call), [
      'VirtualNetworks_CreateOrUpdate',
      'NetworkOperations_Get',
      'NetworkOperations_Get',
      'NetworkOperations_Get',
      'VirtualNetworks_Get',
    ]);
    assert.equal(call.reported.length, 5);
    assert.deepEqual(call.log, ['keep', 'drop']);
  });

  test('a write that is answered whole is not kept', async () => {
    const arm = await scriptedArm(() => ({ body: { name: 'v', properties: { provisioningState: 'Succeeded' } } }));
    open.push(arm);
    const call = keepingCall();
    assert.ok((await (await arm.open()).run(call, put)).ok);
    assert.deepEqual([call.log, actions(call).length], [[], 1]);
  });

  test('is waited for as the cloud asks, and else a little longer each time', async () => {
    const patience: Reply = { headers: { 'retry-after': '4' }, body: { status: 'InProgress' } };
    const { client, clock } = await accepting(running, patience, running);
    await client.run(recordedCall(), put);
    assert.deepEqual(clock.slept, [1000, 1500, 4000, 6000]);
  });
});

describe('an operation is not lost', () => {
  test('by a throttled poll', async () => {
    const { client, clock } = await accepting(running, throttled, throttled, running);
    const call = keepingCall();
    const answer = await client.run(call, put);
    assert.equal(answer.ok && answer.value.name, 'v');
    assert.deepEqual(clock.slept.slice(2, 4), [7000, 7000]);
    assert.equal(call.reported.filter(({ answer: { failure } }) => failure?.kind === 'throttled').length, 2);
    assert.deepEqual(call.log, ['keep', 'drop']);
  });

  test('by a poll without an answer', async () => {
    const { client } = await accepting('reset', running);
    assert.ok((await client.run(recordedCall(), put)).ok);
  });

  test('by a throttle of the last look at what was made', async () => {
    let looks = 0;
    const arm: ScriptedArm = await scriptedArm(({ method, path }) => {
      if (method === 'PUT') return { status: 201, headers: { 'azure-asyncoperation': arm.url + polled }, body: {} };
      if (path === polled) return { body: { status: 'Succeeded' } };
      return ++looks === 1 ? throttled : { body: { name: 'v', properties: {} } };
    });
    open.push(arm);
    const answer = await (await arm.open()).run(recordedCall(), put);
    assert.equal(answer.ok && answer.value.name, 'v');
  });
});

describe('how an operation ends', () => {
  test('one that fails says why, in the cloud’s words', async () => {
    const { client } = await accepting(running, {
      body: { status: 'Failed', error: { code: 'NetcfgSubnetRangesOverlap', message: 'they overlap' } },
    });
    const call = keepingCall();
    const answer = await client.run(call, put);
    assert.deepEqual(answer.ok ? '' : [answer.failure.kind, answer.failure.code, answer.failure.message], [
      'conflict',
      'NetcfgSubnetRangesOverlap',
      'they overlap',
    ]);
    assert.deepEqual(call.log, ['keep', 'drop']);
  });

  test('one that is canceled is no success', async () => {
    const { client } = await accepting({
      body: { status: 'Canceled', error: { code: 'CanceledAndSupersededDueToAnotherOperation', message: 'm' } },
    });
    const answer = await client.run(recordedCall(), put);
    assert.equal(answer.ok ? '' : answer.failure.kind, 'conflict');
  });

  test('a deletion ends with nothing', async () => {
    const { client } = await accepting({ status: 202 }, { status: 204 });
    const call = keepingCall();
    assert.deepEqual(await client.run(call, remove), { ok: true, value: undefined });
    assert.deepEqual(call.log, ['keep', 'drop']);
  });

  test('one whose polls are refused for good is left to the next look', async () => {
    const { client } = await accepting({
      status: 403,
      body: { error: { code: 'AuthorizationFailed', message: 'no' } },
    });
    const call = keepingCall();
    const answer = await client.run(call, put);
    assert.equal(answer.ok ? '' : answer.failure.kind, 'ambiguous');
    assert.deepEqual(call.log, ['keep', 'drop']);
  });

  test('it is not polled for ever by one who gets no answer', async () => {
    const { client, came } = await accepting(...Array.from({ length: 60 }, () => throttled));
    const answer = await client.run(recordedCall(), put);
    assert.equal(answer.ok ? '' : answer.failure.kind, 'ambiguous');
    assert.ok(came.length < 20, `${came.length} requests`);
  });
});

describe('a reconcile that is stopped while an operation goes on', () => {
  test('knows no outcome, and keeps the operation', async () => {
    const stop = new AbortController();
    const { client } = await accepting(running, running, running);
    const call = keepingCall(stop.signal, ({ action }) => {
      if (action === 'NetworkOperations_Get') stop.abort(new Error('stopped'));
    });
    const answer = await client.run(call, put);
    assert.equal(answer.ok ? '' : answer.failure.kind, 'ambiguous');
    assert.deepEqual([call.log, call.kept.size], [['keep'], 1]);
  });

  test('so does one whose polls are refused', async () => {
    const { client, came } = await accepting(running);
    const call = keepingCall(undefined, ({ mutating }) => {
      if (!mutating) throw new Error('the lease is lost');
    });
    const answer = await client.run(call, put);
    assert.equal(answer.ok ? '' : answer.failure.kind, 'ambiguous');
    assert.deepEqual([came.length, call.kept.size], [1, 1]);
  });

  test('the next process goes on with it, and drops it as it ends', async () => {
    const arm = await accepting(running, running, throttled, running);
    const first = keepingCall(undefined, ({ mutating }) => {
      if (!mutating) throw new Error('the process died');
    });
    await arm.client.run(first, put);
    const kept = [...first.kept].map(([id, state]) => ({ id, state }));
    arm.came.length = 0;
    const next = keepingCall();
    await (await arm.open()).resume(kept, next);
    assert.deepEqual([next.log, first.kept.size], [['drop'], 1]);
    assert.deepEqual(
      arm.came.map(({ path }) => path),
      [polled, polled, polled, polled, polled, vnet],
    );
  });

  test('a state that nobody can read any more is dropped', async () => {
    const { client, came } = await accepting();
    const call = keepingCall();
    await client.resume([{ id: 'x', state: '{"state":{"config":{}}}' }], call);
    assert.deepEqual([call.log, came.length], [['drop'], 0]);
  });

  test('what is kept holds no token', async () => {
    const { client } = await accepting(running);
    const call = keepingCall(undefined, ({ mutating }) => {
      if (!mutating) throw new Error('stop');
    });
    await client.run(call, put);
    for (const state of call.kept.values()) assert.doesNotMatch(state, /sandbox|bearer|authorization/i);
  });
});
