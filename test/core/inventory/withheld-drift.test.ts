import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Mode } from '../../../src/core/desired.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import { withheldDriftIn, withheldText } from '../../../src/core/inventory/withheld-drift.ts';

const address = 'aws/1/eu/instance/web-0';

interface Held {
  readonly code?: string;
  readonly mode?: Mode;
  readonly cause?: 'drift' | 'rollout';
  readonly held?: string;
}

/** Only what the counting reads. */
const row = ({ code, mode = 'enforce', cause = 'drift', held = 'why' }: Held): Row =>
  ({
    key: address,
    called: { name: 'web-0', address, labels: {} },
    state: { status: 'Drifted', reason: '', generation: 1, ...(code === undefined ? {} : { code }) },
    sides: { desired: { mode }, diff: [], next: { verb: 'update', cause, ...(held === '' ? {} : { held }) } },
  }) as unknown as Row; // why: the rest of a row says nothing about what holds it

describe('withheld drift', () => {
  const approve = 'setpoint approve --reason "…"';
  const cases: readonly (readonly [of: string, held: Held, next: string | undefined])[] = [
    ['a mode that waits for people', { code: 'mode', mode: 'plan' }, approve],
    ['a mode of the generation before', { code: 'mode' }, approve],
    ['mode observe, which no approval lifts', { code: 'mode', mode: 'observe' }, `setpoint explain ${address}`],
    ['a limit', { code: 'limit' }, approve],
    ['data that would be lost', { code: 'destructive-drift' }, `setpoint approve --address ${address} --reason "…"`],
    ['a pause', { code: 'paused' }, 'setpoint status'],
    ['a stopped rollout', { code: 'rollout-stopped' }, 'setpoint status'],
    ['machines that never came up', { code: 'failed-births' }, 'setpoint status'],
    ['protect', { code: 'protect' }, `setpoint explain ${address}`],
    ['what it rests on', { code: 'depends' }, `setpoint explain ${address}`],
    ['a code that nobody knows', { code: 'tomorrow' }, `setpoint explain ${address}`],
    ['nothing: it is healed by the next pass', { held: '' }, undefined],
    ['a mode, but a rollout waits and no drift', { code: 'mode', cause: 'rollout' }, undefined],
  ];
  for (const [of, held, next] of cases)
    it(`by ${of}: ${next ?? 'not told'}`, () => {
      assert.deepEqual(
        withheldDriftIn([row(held)]).map((one) => one.next),
        next === undefined ? [] : [next],
      );
    });

  it('counts what waits for the same once, the most frequent first, in one line', () => {
    const withheld = withheldDriftIn([row({ code: 'limit' }), row({ code: 'mode' }), row({ code: 'mode' })]);
    assert.equal(
      withheldText(withheld),
      `Withheld drift: 2 resources by mode: ${approve} · 1 resource by limit: ${approve}`,
    );
    assert.equal(withheldText([]), undefined);
  });

  it('lists three reasons and counts the rest', () => {
    const codes = ['mode', 'limit', 'paused', 'protect', 'depends'];
    const text = withheldText(withheldDriftIn(codes.map((code) => row({ code }))));
    assert.match(text ?? '', / · 2 more: setpoint inventory$/);
  });
});
