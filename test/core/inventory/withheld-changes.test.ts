import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row, Status } from '../../../src/core/inventory/row.ts';
import { withheldChangesIn } from '../../../src/core/inventory/withheld-changes.ts';
import { rowOf } from '../../store/fixtures.ts';

const next = { verb: 'update', cause: 'rollout' } as const;

interface Said {
  readonly code?: string;
  readonly status?: Status;
  readonly held?: string;
  readonly criticality?: Row['whose']['criticality'];
}

function row(name: string, { code, status = 'Pending', held, criticality }: Said): Row {
  const made = rowOf(name, {
    status,
    reason: `${name} waits`,
    next: held === undefined ? next : { ...next, held },
    ...(criticality === undefined ? {} : { whose: { criticality } }),
  });
  return { ...made, state: { ...made.state, ...(code === undefined ? {} : { code }) } };
}

const told = (rows: readonly Row[]) =>
  withheldChangesIn(rows).map(({ code, failed, count, first }) => [code, failed, count, first.map(({ name }) => name)]);

const of = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `aws/111122223333/eu-west-1/network/${name}`);

describe('changes that are held', () => {
  it('changes on their way and resources in sync are not held', () => {
    assert.deepEqual(told([row('a', {}), rowOf('b')]), []);
  });

  it('each reason has its count and its first three, most critical first', () => {
    const rows = [
      ...['d', 'c', 'b', 'a'].map((name) => row(name, { code: 'policy', status: 'Blocked' })),
      row('z', { code: 'policy', status: 'Blocked', criticality: 'critical' }),
      row('m', { code: 'mode', held: 'its mode is plan' }),
    ];
    assert.deepEqual(told(rows), [
      ['policy', false, 5, of('z', 'a', 'b')],
      ['mode', false, 1, of('m')],
    ]);
  });

  it('a refusal of the cloud is no finding, with any code; without a code it is listed, too', () => {
    const rows = [
      row('a', { code: 'quota', status: 'Failed' }),
      row('b', { code: 'quota', status: 'Blocked' }),
      row('c', { status: 'Blocked' }),
    ];
    assert.deepEqual(told(rows), [
      ['quota', true, 1, of('a')],
      ['quota', false, 1, of('b')],
      ['held', false, 1, of('c')],
    ]);
  });

  it('holds that end by themselves come last, in any number', () => {
    const rows = [
      row('a', { code: 'wave', held: 'x' }),
      row('b', { code: 'wave', held: 'x' }),
      row('c', { code: 'protect', status: 'Blocked' }),
    ];
    assert.deepEqual(
      withheldChangesIn(rows).map(({ code }) => code),
      ['protect', 'wave'],
    );
  });

  it('each has its reason and the way on', () => {
    const [policy, approvals, grace] = [
      row('a', { code: 'policy', status: 'Blocked' }),
      row('b', { code: 'approvals', held: 'x' }),
      row('c', { code: 'grace', held: 'x' }),
    ].flatMap((one) => withheldChangesIn([one]).flatMap(({ first }) => first));
    const [name = ''] = of('a');
    assert.deepEqual(policy, { name, reason: 'a waits', next: `setpoint explain ${name}` });
    assert.equal(approvals?.next, 'setpoint approve --reason "…"');
    assert.equal(grace?.next, 'setpoint status');
  });
});
