import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

const allow = '--allow-endpoint';
const where = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };

test('machines that die at boot stop their document, and plan, drift and explain say with which words they died', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const worker = workerOn(run.database);
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: enforce');
  const { images } = sandbox.control.ec2.region('111122223333', 'eu-west-1');
  for (const image of images.values()) images.put({ ...image, broken: { diesAfterMs: 0 } });
  const applied = await run(['apply', specs, allow, '--yes']);
  assert.notEqual(applied.code, 0);
  const launches = (): number =>
    sandbox.control.log.entries().filter(({ action, status }) => action === 'RunInstances' && status === 200).length;
  for (let pass = 0; pass < 4; pass++) await worker(where);
  const before = launches();
  for (let pass = 0; pass < 3; pass++) await worker(where);
  assert.equal(launches(), before, 'nothing more is launched');
  const held = /(?:failed-births|rollout-stopped|nothing more is launched)[\s\S]*Client\.InternalError/;
  for (const words of [
    ['plan', specs],
    ['drift', specs],
    ['explain', 'instance/web-0', '--specs', specs],
  ]) {
    const { stdout, stderr } = await run([...words, allow]);
    assert.match(stdout + stderr, held, words.join(' '));
    assert.match(stdout + stderr, /setpoint resume --rollout-of \S+\/instance\/web/, words.join(' '));
  }
});
