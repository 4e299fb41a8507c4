import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import { input, looked, vpc, want } from './fixture.ts';

test('what a cloud says in a whole sentence gets no second full stop', () => {
  const gap = { kind: 'network', code: 'Throttled', reason: 'page 2 failed.' } as const;
  const { findings } = plan(input([want('network', 'core', vpc('10.0.0.0/16'))], looked([], { gaps: [gap] })));
  assert.match(JSON.stringify(findings), /network could not be listed: page 2 failed\. Nothing is concluded/);
});
