import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition, Observed } from '../../src/core/observed.ts';
import { type Awaited, awaitState, type Missed } from '../../src/engine/await-state.ts';
import type { Desk } from '../../src/engine/desk.ts';
import type { Health } from '../../src/ports/actuator.ts';
import { machineIn, network } from '../support/engine-world/documents.ts';
import { type SmallWorld, smallWorld } from '../support/small-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

type State = Condition['state'];
/** What one read answers: a state, a machine that stopped, nothing found, or no answer. */
type Seen = State | 'stopped' | 'not-found' | 'refused';
/** What the cloud's own checks answer, one each time, and the last of them from then on. */
type Checks = readonly (Health['state'] | 'refused')[];

/** Reads answer `seen` in order, one each read, and the last of them from then on. */
async function awaited(
  seen: readonly Seen[],
  how: Partial<Awaited> = {},
  checks?: Checks,
): Promise<{
  readonly missed: Missed;
  readonly tookMs: number;
  readonly checked: number;
  readonly told: readonly unknown[];
}> {
  const clock = virtualClock();
  const from = clock.now();
  let reads = 0;
  let checked = 0;
  const told: unknown[] = [];
  const read = async () => {
    const one = seen[Math.min(reads, seen.length - 1)] ?? 'refused';
    reads += 1;
    return [one === 'refused' ? { ok: false, failure: { kind: 'retryable' } } : { ok: true, value: observed(one) }];
  };
  const health = async () => {
    const state = checks?.[Math.min(checked, checks.length - 1)] ?? 'refused';
    checked += 1;
    return [state === 'refused' ? { ok: false } : { ok: true, value: { state, detail: 'system status impaired' } }];
  };
  const instance = { read, ...(checks === undefined ? {} : { health }) };
  const desk = {
    at: { site: { session: { actuators: { instance } } }, warrant: {} },
    ports: {
      clock,
      inventory: { births: async (_: unknown, verdicts: readonly unknown[]) => void told.push(...verdicts) },
    },
    known: { knowledge: { births: [] } },
    line: { reading: () => ({}) },
    halt: { waits: new AbortController().signal },
  };
  // why: waiting asks for nothing else of a desk
  const missed = await clock.run(() => awaitState({ ids: ['i-1'], state: 'ready', ...how }, desk as unknown as Desk));
  return { missed, tookMs: clock.now() - from, checked, told };
}

function observed(seen: Exclude<Seen, 'refused'>): Observed<'instance'> | undefined {
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
    condition: { state: seen === 'stopped' ? 'ready' : seen },
  };
}

const times = (many: number, seen: Seen): readonly Seen[] => Array.from({ length: many }, () => seen);

describe('waiting for a machine', () => {
  const cases: readonly { name: string; seen: readonly Seen[]; how?: Partial<Awaited>; want: string | undefined }[] = [
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
        const { passes } = await world.apply(documents('img-2'), { estate, job: { passes: 1 } });
        assert.deepEqual(
          passes.flatMap(({ failed }) => failed.map(({ verb, failure }) => `${verb} ${failure.code}`)),
          ['replace Died'],
        );
        assert.deepEqual(
          images(world),
          Array.from({ length: replicas - 1 }, () => 'img-1'),
        );
      });
});
