import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, Observed } from '../../src/core/observed.ts';
import { type Awaited as Asked, awaitState, type Missed } from '../../src/engine/await-state.ts';
import type { ExecutionContext } from '../../src/engine/execution-context.ts';
import type { Health } from '../../src/ports/provider.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type SmallWorld, smallWorld } from '../support/small-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

type State = Condition['state'];
/** The answer of one read: a state, a machine that stopped, nothing found, or no answer. */
type Seen = State | 'stopped' | 'not-found' | 'refused';
/** The answers of the cloud's own checks, one each time. The last one repeats. */
type Checks = readonly (Health['state'] | 'refused')[];

/** Reads answer `seen` in order, one each read, and the last of them from then on. */
async function awaited(
  seen: readonly Seen[],
  how: Partial<Asked> = {},
  checks?: Checks,
  { births = [], reason }: { births?: readonly ((from: number) => object)[]; reason?: string } = {},
): Promise<{
  readonly missed: Missed;
  readonly from: number;
  readonly tookMs: number;
  /** When it read, since the beginning. */
  readonly reads: readonly number[];
  readonly checked: number;
  readonly told: readonly unknown[];
}> {
  const clock = virtualClock();
  const from = clock.now();
  const reads: number[] = [];
  let checked = 0;
  const told: unknown[] = [];
  const read = async () => {
    const one = seen[Math.min(reads.length, seen.length - 1)] ?? 'refused';
    reads.push(clock.now() - from);
    if (one === 'refused') return [{ ok: false, failure: { kind: 'retryable' } }];
    return [{ ok: true, value: observed(one, reason) }];
  };
  const health = async () => {
    const state = checks?.[Math.min(checked, checks.length - 1)] ?? 'refused';
    checked += 1;
    return [state === 'refused' ? { ok: false } : { ok: true, value: { state, detail: 'system status impaired' } }];
  };
  const instance = { read, ...(checks === undefined ? {} : { health }) };
  const parts = {
    at: { site: { session: { actuators: { instance } } }, authorization: {} },
    ports: {
      clock,
      inventory: { births: async (_: unknown, verdicts: readonly unknown[]) => void told.push(...verdicts) },
    },
    known: { knowledge: { births: births.map((born) => born(from)) } },
    calls: { reading: () => ({}) },
    cancellation: { waits: new AbortController().signal },
  };
  // why: waiting asks for nothing else of a context
  const context = parts as unknown as ExecutionContext;
  const missed = await clock.run(() => awaitState({ ids: ['i-1'], state: 'ready', ...how }, context));
  return { missed, from, tookMs: clock.now() - from, reads, checked, told };
}

function observed(seen: Exclude<Seen, 'refused'>, reason?: string): Observed<'instance'> | undefined {
  if (seen === 'not-found') return undefined;
  return {
    kind: 'instance',
    id: 'i-1',
    name: 'web-0',
    attributes: {
      placement: { subnet: 'sub-1', publicIp: false },
      machine: { image: 'img-1', size: 'small', power: seen === 'stopped' ? 'stopped' : 'running' },
      labels: {},
    },
    signs: {},
    condition: { state: seen === 'stopped' ? 'ready' : seen, ...(reason === undefined ? {} : { reason }) },
  };
}

const times = (many: number, seen: Seen): readonly Seen[] => Array.from({ length: many }, () => seen);

describe('waiting for a machine', () => {
  const cases: readonly { name: string; seen: readonly Seen[]; how?: Partial<Asked>; want: string | undefined }[] = [
    { name: 'ready: reached', seen: ['pending', 'ready'], want: undefined },
    { name: 'being ended: it died', seen: ['pending', 'deleting'], want: 'Died' },
    { name: 'ended and still listed: it died', seen: ['pending', 'gone'], want: 'Died' },
    {
      name: 'not found for 4 minutes, then ready: reached',
      seen: [...times(48, 'not-found'), 'ready'],
      want: undefined,
    },
    { name: 'not found after the visibility window: it died', seen: ['not-found'], want: 'Died' },
    { name: 'launched to run, and stopped: it failed', seen: ['stopped'], how: { launched: true }, want: 'Stopped' },
    { name: 'stopped, and nobody launched it: reached', seen: ['stopped'], want: undefined },
    { name: 'pending for ever: not ready', seen: ['pending'], want: 'NotReady' },
    { name: 'a read that fails says nothing', seen: [...times(9, 'refused'), 'ready'], want: undefined },
    { name: 'no read ever answers: not ready', seen: ['refused'], want: 'NotReady' },
    { name: 'to be gone, not found: reached', seen: ['not-found'], how: { state: 'gone' }, want: undefined },
    { name: 'to be gone, ended: reached', seen: ['deleting', 'gone'], how: { state: 'gone' }, want: undefined },
    { name: 'to be gone, and it stays: not gone', seen: ['ready'], how: { state: 'gone' }, want: 'NotGone' },
  ];
  for (const { name, seen, how, want } of cases)
    it(name, async () => {
      const { missed } = await awaited(seen, how);
      assert.equal(missed.get('i-1')?.code, want);
      assert.equal(missed.size, want === undefined ? 0 : 1);
    });
});

/** The truth table above `awaitState`: each awaited state, with each state that may be seen for ever. */
describe('what is awaited, and what is seen', () => {
  const all: readonly Seen[] = ['ready', 'pending', 'deleting', 'gone', 'stopped', 'not-found', 'refused'];
  const late = [601_000, 'terminal NotReady: i-1 was not ready within ten minutes'] as const;
  const stays = [601_000, 'terminal NotGone: i-1 was not gone within ten minutes'] as const;
  const reached = [1_000, 'reached'] as const;
  const readiness: Readonly<Record<Seen, readonly [tookMs: number, came: string]>> = {
    ready: reached,
    pending: late,
    deleting: [1_000, 'terminal Died: i-1 is being ended before it was ready'],
    gone: [1_000, 'terminal Died: i-1 was ended before it was ready'],
    stopped: reached,
    'not-found': [301_000, 'terminal Died: i-1 is not there any more'],
    refused: late,
  };
  const departure: Readonly<Record<Seen, readonly [tookMs: number, came: string]>> = {
    ready: stays,
    pending: stays,
    deleting: stays,
    gone: reached,
    stopped: stays,
    'not-found': reached,
    refused: stays,
  };
  const stopped = [1_000, 'terminal Stopped: i-1 stopped before it was ready'] as const;
  const came = ({ missed, tookMs }: Awaited<ReturnType<typeof awaited>>) => {
    const failure = missed.get('i-1');
    return [tookMs, failure === undefined ? 'reached' : `${failure.kind} ${failure.code}: ${failure.message}`];
  };
  for (const one of all) {
    it(`to be ready, and ${one}`, async () => assert.deepEqual(came(await awaited([one])), readiness[one]));
    it(`to be ready after its launch, and ${one}`, async () =>
      assert.deepEqual(came(await awaited([one], { launched: true })), one === 'stopped' ? stopped : readiness[one]));
    it(`to be gone, and ${one}`, async () =>
      assert.deepEqual(came(await awaited([one], { state: 'gone' })), departure[one]));
    it(`to be ready for a while, and ${one}: ten minutes and that while`, async () => {
      const want = readiness[one] === late ? [661_000, late[1]] : readiness[one];
      const proven = one === 'ready' ? [61_000, 'reached'] : want;
      assert.deepEqual(came(await awaited([one], { minReadyMs: 60_000 })), proven);
    });
  }

  const health: Readonly<Record<Checks[number], readonly [tookMs: number, came: string]>> = {
    passed: reached,
    checking: late,
    refused: late,
    failed: [1_000, 'terminal Failed: i-1 failed before it was ready: system status impaired'],
  };
  for (const one of ['passed', 'checking', 'refused', 'failed'] as const)
    it(`ready, and its checks: ${one}`, async () => {
      const found = await awaited(['ready'], { minReadyMs: 0 }, [one]);
      assert.deepEqual(came(found), health[one]);
      const told = { id: 'i-1', as: 'ready', at: found.from + 1_000, proven: true };
      assert.deepEqual(found.told, one === 'passed' ? [told] : [], 'its birth is told where they passed');
    });
  for (const one of all)
    it(`checks that reconcile tell nothing of a machine that is ${one}, unless it runs`, async () => {
      const { told, checked } = await awaited([one], { minReadyMs: 0 }, ['passed']);
      assert.deepEqual([told.length, checked > 0], one === 'ready' ? [1, true] : [0, false]);
    });

  it('the cloud’s reason is told', async () => {
    for (const [one, text] of [
      ['gone', 'i-1 was ended before it was ready: Client.InternalError'],
      ['deleting', 'i-1 is being ended before it was ready: Client.InternalError'],
      ['stopped', 'i-1 stopped before it was ready: Client.InternalError'],
    ] as const) {
      const { missed } = await awaited([one], { launched: true }, undefined, { reason: 'Client.InternalError' });
      assert.equal(missed.get('i-1')?.message, text);
    }
  });
  it('a machine that an earlier reconcile knows as ready has been so since then', async () => {
    const born = (id: string, agoMs?: number) => (from: number) => ({
      id,
      ...(agoMs === undefined ? {} : { readySince: from - agoMs }),
    });
    const tookOf = async (...births: readonly ReturnType<typeof born>[]) => {
      const { tookMs, told } = await awaited(['ready'], { minReadyMs: 60_000 }, ['passed'], { births });
      return [tookMs, told.length];
    };
    assert.deepEqual(await tookOf(born('i-1', 60_000)), [1_000, 0]);
    assert.deepEqual(await tookOf(born('i-1', 40_000)), [21_000, 0]);
    assert.deepEqual(await tookOf(born('i-1')), [61_000, 1]);
    assert.deepEqual(await tookOf(born('i-2', 60_000)), [61_000, 1], 'that of another says nothing');
  });
  it('it reads after a second, and then every five', async () => {
    const { reads } = await awaited(['pending', 'pending', 'pending', 'ready']);
    assert.deepEqual(reads, [1_000, 6_000, 11_000, 16_000]);
  });
});

describe('waiting until a machine has been ready for a while', () => {
  it('its birth is proven at once only where it need not be ready for a while', async () => {
    for (const [minReadyMs, proven] of [
      [0, true],
      [1, false],
      [60_000, false],
    ] as const) {
      const { told } = await awaited(['ready'], { minReadyMs }, ['passed']);
      assert.deepEqual(
        told.map((one) => Reflect.get(Object(one), 'proven')),
        [proven],
      );
    }
  });

  const cases: readonly {
    name: string;
    seen: readonly Seen[];
    minReadyMs: number;
    checks?: Checks;
    want: readonly [code: string | undefined, tookMs: number];
  }[] = [
    {
      name: 'a cloud without checks: from when it runs',
      seen: ['pending', 'ready'],
      minReadyMs: 60_000,
      want: [undefined, 66_000],
    },
    {
      name: 'minReady 0 and passed: at once',
      seen: ['ready'],
      minReadyMs: 0,
      checks: ['passed'],
      want: [undefined, 1_000],
    },
    {
      name: 'from when its checks passed',
      seen: ['ready'],
      minReadyMs: 60_000,
      checks: ['checking', 'refused', 'passed'],
      want: [undefined, 71_000],
    },
    {
      name: 'its checks never pass: not ready',
      seen: ['ready'],
      minReadyMs: 0,
      checks: ['checking'],
      want: ['NotReady', 601_000],
    },
    {
      name: 'its checks say that it failed',
      seen: ['ready'],
      minReadyMs: 0,
      checks: ['failed'],
      want: ['Failed', 1_000],
    },
    {
      name: 'it dies while it proves itself',
      seen: [...times(6, 'ready'), 'gone'],
      minReadyMs: 60_000,
      want: ['Died', 31_000],
    },
    {
      name: 'it starts again in between: from the second time on',
      seen: [...times(6, 'ready'), 'pending', 'ready'],
      minReadyMs: 60_000,
      want: [undefined, 96_000],
    },
    {
      name: 'one that is to stand still proves nothing',
      seen: ['stopped'],
      minReadyMs: 60_000,
      checks: ['checking'],
      want: [undefined, 1_000],
    },
  ];
  for (const { name, seen, minReadyMs, checks, want } of cases)
    it(name, async () => {
      const { missed, tookMs } = await awaited(seen, { minReadyMs }, checks);
      assert.deepEqual([missed.get('i-1')?.code, tookMs], want);
    });

  it('asks for the checks until they passed, and not again', async () => {
    const { checked } = await awaited(['ready'], { minReadyMs: 60_000 }, ['checking', 'passed']);
    assert.equal(checked, 2);
  });
});

const machine = machineIn({ image: 'img-1', size: 'small' });
const estate = { limits: { deletes: 50, replaces: 50, share: '100%' } };
const hour = 3_600_000;

const images = ({ cloud }: SmallWorld): readonly string[] =>
  cloud.inspect
    .live()
    .filter(({ type }) => type === 'instance')
    .map(({ record }) => ('hardware' in record ? Object(record.hardware).image : ''))
    .sort();

describe('a rolling replacement with an image that dies at boot', () => {
  for (const replicas of [1, 2, 3, 4, 5])
    for (const afterMs of [0, 3_000, 20_000])
      it(`loses one machine of ${replicas} at most by recreate, where it dies ${afterMs / 1000} s after its launch`, async () => {
        const world = smallWorld();
        const replace = { strategy: 'recreate' };
        const documents = (image: string) => [
          network({ internet: false }),
          machine('web', { replicas, image, replace }),
        ];
        await world.apply(documents('img-1'), { estate });
        await world.clock.run(() => world.clock.sleep(hour));
        world.cloud.outside.breakImage('img-2', afterMs);
        const { rounds: reconciles } = await world.apply(documents('img-2'), { estate, job: { rounds: 1 } });
        assert.deepEqual(
          reconciles.flatMap(({ failed }) => failed.map(({ verb, failure }) => `${verb} ${failure.code}`)),
          ['replace Died'],
        );
        assert.deepEqual(
          images(world),
          Array.from({ length: replicas - 1 }, () => 'img-1'),
        );
      });
});
