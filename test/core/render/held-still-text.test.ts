import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Choices } from '../../../src/core/plan/plan-input.ts';
import { pausePolicy } from '../../../src/core/plan/policies.ts';
import { planJson } from '../../../src/core/render/plan-json.ts';
import { planText } from '../../../src/core/render/plan-text.ts';
import { at } from '../plan/fixture.ts';
import { machines, standing, web } from '../plan/rollouts.ts';

test('what waits for its wave, or is paused, is one line for what waits alike', () => {
  const given = machines({ replicas: 12, there: [...standing(0, 0, 'new'), ...standing(1, 11, 'old')] });
  const freeze = { reason: 'freeze', person: 'ann', until: Date.parse('2027-01-31T17:30:00Z') };
  const of = { by: 'address', name: at('instance', 'web-1') } as const;
  const policies = [pausePolicy([{ what: 'all', of, ...freeze }], given.wanted)];
  const text = (choices: Choices): readonly string[] =>
    planText([plan({ ...given, choices })], { revision: 'abcdef0123' }).split('\n');
  assert.deepEqual(text({}), [
    'Plan: 0 to add, 0 to change, 2 to replace, 0 to delete · 0 drifted · 0 unmanaged · 9 withheld · commit abcdef0 · 2 calls',
    '',
    'aws/1/eu-1',
    '  -/+ instance web-1  the old machine ends first  specs/a.yaml:1',
    '      ! the data on its disks is LOST: nothing is carried over. Its private address changes.',
    '      ~ machine.image  old → new',
    '  -/+ instance web-2  the old machine ends first  specs/a.yaml:1',
    '      ! the data on its disks is LOST: nothing is carried over. Its private address changes.',
    '      ~ machine.image  old → new',
    '  · instance web-10 and 8 more withheld  wave 2 of 3: 1 of 12 done; waits for web-1 and 1 more',
  ]);
  assert.deepEqual(text({ policies }).slice(-2), [
    '  · instance web-1 withheld  paused for address aws/1/eu-1/instance/web-1 by ann until 2027-01-31 17:30 UTC: freeze. It goes on then; for earlier, setpoint status has the line to paste.',
    '  · instance web-10 and 8 more withheld  wave 2 of 3: 1 of 12 done; waits for web-1 (held back) and 1 more',
  ]);
  assert.deepEqual(text({ stopped: [{ document: web, why: 'no such image' }] }).slice(-1), [
    '  · instance web-1 and 10 more withheld  stopped in wave 2 of 3: 1 of 12 done. no such image. To go on: setpoint resume --rollout-of aws/1/eu-1/instance/web --reason "…"; to go back: commit the former spec.',
  ]);
  const { findings } = planJson([plan(given)], { estate: 'acme', revision: 'abcdef0123' }, (told) => told);
  assert.deepEqual(findings[0], {
    type: 'withheld',
    address: at('instance', 'web-10'),
    kind: 'instance',
    action: 'replace',
    code: 'wave',
    why: 'wave 2 of 3: 1 of 12 done; waits for web-1 and 1 more',
    scope: 'aws/1/eu-1',
  });
});
