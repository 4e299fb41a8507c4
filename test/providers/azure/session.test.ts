import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { azure } from '../../../providers/azure/index.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { type AzureStage, account, location, openAzureStage, scope } from '../../support/azure-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { codes, createOne, listOf, networkOf, seen, subnetOf } from './estate.ts';

const open: AzureStage[] = [];
after(async () => {
  for (const stage of open) await stage.close();
});

async function fresh() {
  const stage = await openAzureStage();
  open.push(stage);
  return { stage, session: await stage.open() };
}

describe('whose credentials they are', () => {
  test('is asked once', async () => {
    const { session } = await fresh();
    const call = recordedCall();
    for (let time = 0; time < 2; time++) assert.deepEqual(await session.identify(call), { ok: true, value: account });
    assert.deepEqual(
      call.admitted.map(({ action }) => action),
      ['Providers_Get'],
    );
  });

  test('is answered as the target has it, which may be in another case', async () => {
    const { stage } = await fresh();
    const access = { scope, account: account.toUpperCase(), region: location, endpoint: stage.sandbox.url };
    const session = await azure.open(access, stage.clock);
    assert.deepEqual(await session.identify(recordedCall()), { ok: true, value: account.toUpperCase() });
  });

  test('is a failure where they may not look, and is asked again', async () => {
    const { stage, session } = await fresh();
    stage.sandbox.control.faults.add({ match: { times: 1 }, effect: { kind: 'access-denied' } });
    assert.deepEqual(codes([await session.identify(recordedCall())]), ['terminal AuthorizationFailed']);
    assert.ok((await session.identify(recordedCall())).ok);
  });

  test('is a failure where there is no such subscription', async () => {
    const { stage } = await fresh();
    const other = '99999999-9999-4999-8999-999999999999';
    const access = { scope, account: other, region: location, endpoint: stage.sandbox.url };
    const answer = await (await azure.open(access, stage.clock)).identify(recordedCall());
    assert.equal(answer.ok ? '' : answer.failure.kind, 'terminal');
  });
});

describe('a location', () => {
  const asked = ['westeurope', 'West Europe', 'WESTEUROPE', 'westeurop'];

  test('that Azure does not have is named as it was written, and costs no request', async () => {
    const { session } = await fresh();
    const call = recordedCall();
    await session.identify(call);
    const answer = await session.checkRegions?.(asked, call);
    assert.ok(answer?.ok);
    assert.deepEqual(
      answer.value.map((failure) => [failure.kind, failure.code, failure.region]),
      [['terminal', 'unknown-region', 'westeurop']],
    );
    assert.match(answer.value[0]?.message ?? '', /no location "westeurop".*az account list-locations/);
    assert.deepEqual(
      call.admitted.map(({ action }) => action),
      ['Providers_Get'],
    );
  });

  test('is not ruled out where Azure has not said which there are', async () => {
    const { session } = await fresh();
    assert.deepEqual(await session.checkRegions?.(asked, recordedCall()), { ok: true, value: [] });
  });
});

describe('listings of one reconcile', () => {
  test('networks, subnets, groups and rules take three requests together', async () => {
    const { session } = await fresh();
    const network = await createOne(session, networkOf('core'));
    await createOne(session, subnetOf('core.app', network.id));
    const call = recordedCall();
    await Promise.all(
      (['network', 'subnet', 'group', 'firewall-rule'] as const).map((kind) => listOf(session, kind, call)),
    );
    assert.deepEqual(call.admitted.map(({ action }) => action).sort(), [
      'ApplicationSecurityGroups_ListAll',
      'NetworkSecurityGroups_ListAll',
      'VirtualNetworks_ListAll',
    ]);
  });
});

describe('a process that dies while Azure works', () => {
  /** Its store keeps its data; its polls are refused, as by a lost lease. */
  const dying = (kept: Map<string, string>): Call => ({
    ...recordedCall(undefined, ({ action }) => {
      if (action.endsWith('Operations_Get')) throw new Error('the process died');
    }),
    operations: {
      keep: async (id, state) => void kept.set(id, state),
      drop: async (id) => void kept.delete(id),
    },
  });

  test('leaves an operation, which the next one awaits before it looks', async () => {
    const { stage, session } = await fresh();
    const network = await createOne(session, networkOf('core'));
    const kept = new Map<string, string>();
    const creation = subnetOf('core.app', network.id);
    const results = await session.actuators.subnet.create([creation], dying(kept));
    assert.equal(codes(results)[0]?.split(' ')[0], 'ambiguous');
    assert.equal(kept.size, 1);

    const next = await stage.open();
    const call: Call = { ...dying(kept), admit: async () => {} };
    await next.resume?.(
      [...kept].map(([id, state]) => ({ id, state })),
      call,
    );
    assert.equal(kept.size, 0);
    assert.equal((await seen(next, 'subnet', 'app')).condition.state, 'ready');
    assert.deepEqual(codes(await next.actuators.subnet.create([creation], recordedCall())), ['ok']);
    assert.equal((await listOf(next, 'subnet')).length, 1);
  });
});

test('importing the provider loads no SDK', () => {
  const index = new URL('../../../providers/azure/index.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) });
    await import(${JSON.stringify(index)});
    console.log(JSON.stringify(asked));`;
  const asked: readonly string[] = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
  );
  assert.ok(asked.includes(index));
  assert.deepEqual(
    asked.filter((name) => name.startsWith('@azure')),
    [],
  );
});
