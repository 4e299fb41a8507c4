import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action, Finding } from '../../../src/core/action.ts';
import { type Healing, healingIn } from '../../../src/core/plan/healing.ts';
import type { Kind } from '../../../src/core/resource.ts';

const about = { address: 'aws/1/eu/network/core', documents: [] };

interface Row {
  readonly verb: Action['verb'];
  readonly kind?: Kind;
  readonly cause?: Action['cause'];
  readonly because?: string;
  readonly want: Healing | undefined;
}

const actionOf = ({ verb, kind = 'network', cause = 'drift', because }: Row): Action =>
  ({ ...about, verb, kind, cause, because }) as unknown as Action; // why: the rest of an action decides nothing here

const rows: readonly Row[] = [
  { verb: 'update', want: 'undoes' },
  { verb: 'create', want: 'undoes' },
  { verb: 'create', kind: 'instance', want: 'relaunches' },
  { verb: 'replace', kind: 'instance', want: 'replaces' },
  { verb: 'delete', kind: 'firewall-rule', because: 'rogue', want: 'undoes' },
  { verb: 'delete', because: 'twin', want: 'deletes' },
  { verb: 'delete', because: 'again', want: 'deletes' },
  { verb: 'forget', because: 'gone', want: undefined },
  { verb: 'adopt', want: undefined },
  { verb: 'update', cause: 'rollout', want: undefined },
  { verb: 'update', cause: 'unknown', want: undefined },
];

describe('the fate of a change outside Setpoint', () => {
  for (const row of rows)
    it(`${row.verb} of a ${row.kind ?? 'network'} by ${row.cause ?? 'drift'} ${row.because ?? ''}: ${row.want ?? '-'}`, () =>
      assert.equal(healingIn({ findings: [] })(actionOf(row)), row.want));

  const withheld = (action: Action['verb'], cause?: 'drift'): Finding => ({
    ...{ type: 'withheld', address: about.address, kind: 'network', action, code: 'mode', why: 'why', scope: 's' },
    ...(cause === undefined ? {} : { cause }),
  });

  it('is none of healing where a finding withholds that very action', () => {
    const healing = healingIn({ findings: [withheld('update', 'drift')] });
    assert.equal(healing(actionOf({ verb: 'update', want: 'withheld' })), 'withheld');
    assert.equal(healing(actionOf({ verb: 'create', want: 'undoes' })), 'undoes');
    assert.equal(healing(actionOf({ verb: 'update', cause: 'rollout', want: undefined })), undefined);
  });

  const findings: readonly (readonly [finding: Finding, want: Healing | undefined])[] = [
    [withheld('update', 'drift'), 'withheld'],
    [withheld('forget', 'drift'), undefined],
    [withheld('update'), undefined],
    [{ type: 'unmanaged', id: 'vpc-9', kind: 'network', name: '', why: 'why', scope: 's' }, 'none'],
    [{ type: 'orphan', id: 'vpc-9', kind: 'network', name: '', why: 'why', scope: 's' }, undefined],
  ];
  for (const [finding, want] of findings)
    it(`a finding ${finding.type} ${'cause' in finding ? finding.cause : ''}: ${want ?? '-'}`, () =>
      assert.equal(healingIn({ findings: [] })(finding), want));
});
