import assert from 'node:assert/strict';
import { test } from 'node:test';
import { governing } from '../../../src/core/compile/governing.ts';
import { at, vpc, want } from '../plan/fixture.ts';

const core = at('network', 'core');

test("a network's protection and policy do not bind the atoms that say its default", () => {
  const match = { direction: 'egress', action: 'allow', protocol: 'all', ports: 'all', peers: [] } as const;
  const atom = want('firewall-rule', 'x', { network: core, match, description: '' });
  assert.deepEqual(governing({ ...atom, documents: [{ address: core, file: '', line: 1 }] }), []);
});

test('a rule is governed by its own document, a network by its own', () => {
  assert.deepEqual(governing(want('network', 'core', vpc())), [core]);
  const match = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '22', peers: [] } as const;
  const rule = want('firewall-rule', 'core.ssh', { network: core, match, description: '' });
  assert.deepEqual(governing(rule), [at('firewall-rule', 'core.ssh')]);
});
