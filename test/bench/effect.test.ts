import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureEffect } from '../../bench/effect.ts';
import { differencesByPacket, differencesInSandboxes } from '../../bench/effect-differences.ts';

test('the effect of random changes is that of each packet alone', () => {
  const { compared, changed, differences } = differencesByPacket(60);
  assert.deepEqual(differences, []);
  assert.ok(compared > 1000 && changed > 50, `${compared} packets, ${changed} changed`);
});

test('the effect of plans and the answers of reach are those of the packet checks of three sandboxes', async () => {
  const { compared, changed, differences } = await differencesInSandboxes(3);
  assert.deepEqual(differences, []);
  assert.ok(compared > 1000 && changed > 50, `${compared} packets, ${changed} changed`);
});

test('the effect of a plan on many machines has few lines', () => {
  const { told } = measureEffect('aws', { instances: 500, rules: 100, changes: 40 });
  assert.ok(told > 20 && told < 100, `${told} lines`);
});
