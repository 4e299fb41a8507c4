import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Birth, BirthVerdict } from '../../src/core/knowledge.ts';
import { judgeBirths } from '../../src/engine/launch-health.ts';
import type { Health } from '../../src/ports/provider.ts';
import { scriptedSession, unlimited } from '../support/scripted-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const launchedAt = 1_000_000;
const young = 14 * 60_000;
const old = 15 * 60_000;

const attributes = {
  placement: { subnet: 'sub-1', publicIp: false },
  machine: { image: 'img-1', size: 'small', power: 'running' },
  labels: {},
} as const;

/** One running machine of this age, with the result of the cloud's own checks; undefined: they could not be read. */
function judged(
  ageMs: number,
  health: Health | undefined,
  birth: Partial<Birth> = {},
): Promise<readonly BirthVerdict[]> {
  const plain = scriptedSession({});
  const instance = {
    ...plain.actuators.instance,
    health: async () =>
      health === undefined
        ? [{ ok: false, failure: { kind: 'retryable', code: 'Busy', message: 'later' } } as const]
        : [{ ok: true, value: health } as const],
  };
  const session = { ...plain, actuators: { ...plain.actuators, instance } };
  const observed = { kind: 'instance', id: 'i-1', name: 'web-0', attributes, signs: {}, condition: { state: 'ready' } };
  const births = [
    { id: 'i-1', address: 'memory/acme/here/instance/web-0', attributes, generation: 1, launchedAt, ...birth },
  ];
  const seen = { at: launchedAt + ageMs, resources: [observed], gaps: [], pending: [] };
  const knowledge = { estate: 'acme', births, settled: new Map(), pending: [], applied: new Map() };
  const steering = { signal: new AbortController().signal };
  const ports = { limiter: unlimited, clock: virtualClock() };
  const asked = [seen, knowledge, { session }, { ports, control: steering }];
  return judgeBirths(...(asked as unknown as Parameters<typeof judgeBirths>)); // why: only these parts are looked at
}

const checking: Health = { state: 'checking', detail: 'system status ok, instance status impaired' };

describe("the cloud's own checks of machines that were launched lately", () => {
  it('passed: ready since this look', async () => {
    const at = launchedAt + young;
    assert.deepEqual(await judged(young, { state: 'passed' }), [{ id: 'i-1', as: 'ready', at, proven: false }]);
  });

  it('failed for good: a failed birth at once', async () => {
    const failed = await judged(1000, { state: 'failed', detail: 'the image has no agent' });
    assert.deepEqual(failed, [{ id: 'i-1', as: 'failed', why: 'i-1: the image has no agent', wasReady: false }]);
  });

  it('not passed: waited for while the machine is young, and a failed birth after that', async () => {
    assert.deepEqual(await judged(young, checking), []);
    const why =
      "i-1 has not passed the cloud's checks within 900 s of its launch: system status ok, instance status impaired";
    assert.deepEqual(await judged(old, checking), [{ id: 'i-1', as: 'failed', why, wasReady: false }]);
  });

  it('could not be read: they say nothing, whatever the age', async () => {
    assert.deepEqual(await judged(old, undefined), []);
  });

  it('are not asked for of a machine that passed before, or has failed', async () => {
    assert.deepEqual(await judged(young, checking, { readySince: launchedAt + 1000, proven: true }), []);
    assert.deepEqual(await judged(old, checking, { failed: 'it ended' }), []);
  });
});
