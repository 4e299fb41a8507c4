import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Specs } from '../../src/core/documents/check-specs.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import { ParseTimeout, parseSpecsInThread } from '../../src/source/parse-thread.ts';

const today = '2026-11-23';
const network = `apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [prod], cidr: 10.0.0.0/16 }
`;
const rule = (i: number): string => `apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: rule-${i} }
spec:
  network: core
  protocol: tcp
  ports: [${i + 1}]
  group: web
  peers: { cidrs: [10.0.0.0/8] }
`;
const filesOf = (rules: number) => [
  { path: 'network.yaml', text: network },
  { path: 'rules.yaml', text: Array.from({ length: rules }, (_, i) => rule(i)).join('---\n') },
  { path: 'broken.yaml', text: 'kind: [\n' },
];

/** All fields that a planner reads of specs. */
const told = ({ documents, problems }: Specs) => ({
  problems,
  documents: documents.map(({ value, at, wrote }) => [
    value,
    at(),
    at(['spec', 'ports', 0]),
    wrote(['spec', 'protocol']),
    wrote(['spec', 'description']),
  ]),
});

describe('specs read in a thread of their own', () => {
  for (const rules of [1, 400])
    it(`are what they are when read at once: ${rules} rules`, async () => {
      const files = filesOf(rules);
      const aside = await parseSpecsInThread(files, today);
      assert.equal(aside.documents.length, rules + 1);
      assert.deepEqual(told(aside), told(parseSpecs(files, today)));
    });

  it('leave the loop to others meanwhile', async () => {
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    await parseSpecsInThread(filesOf(400), today);
    clearInterval(turning);
    assert.ok(turns > 10, `the loop turned ${turns} times`);
  });

  it('end when they take too long', async () => {
    await assert.rejects(parseSpecsInThread(filesOf(400), today, 1), ParseTimeout);
  });
});
