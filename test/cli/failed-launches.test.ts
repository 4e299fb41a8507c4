import assert from 'node:assert/strict';
import { test } from 'node:test';
import { served } from './server/support/served.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

interface Stop {
  readonly document: string;
  readonly reason: string;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly held: { readonly stoppedRollouts: readonly Stop[] }; readonly rollouts: readonly Stop[] };
}

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
  for (let reconcile = 0; reconcile < 4; reconcile++) await worker(where);
  const before = launches();
  for (let reconcile = 0; reconcile < 3; reconcile++) await worker(where);
  assert.equal(launches(), before, 'nothing more is launched');
  const held = /(?:failed-launches|rollout-stopped|nothing more is launched)[\s\S]*Client\.InternalError/;
  for (const words of [
    ['plan', specs],
    ['drift', specs],
    ['explain', 'instance/web-0', '--specs', specs],
  ]) {
    const { stdout, stderr } = await run([...words, allow]);
    assert.match(stdout + stderr, held, words.join(' '));
    assert.match(stdout + stderr, /setpoint resume --rollout-of \S+\/instance\/web/, words.join(' '));
  }

  const { url } = await served(run.database);
  const asked = async (who: string, method: string, path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${who}`, 'content-type': 'application/json', 'idempotency-key': path };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const document = `${where.scope}/instance/web`;
  const stopped = async (): Promise<Stop | undefined> => {
    const { held } = (await asked('viewer', 'GET', '/v1/targets/aws-prod')).body;
    return held.stoppedRollouts.find((one) => one.document === document);
  };
  const stop = await stopped();
  assert.match(stop?.reason ?? '', /Client\.InternalError/);
  const rows = await asked('viewer', 'GET', '/v1/inventory?status=Blocked');
  assert.match(JSON.stringify(rows.body), /failed-launches[^}]*nothing more is launched/);
  const resume = { rolloutOf: 'web', reason: 'the image is mended' };
  assert.equal((await asked('viewer', 'POST', '/v1/pauses/end', resume)).status, 403);
  for (const { broken: _, ...sound } of images.values()) images.put(sound);
  const { status, body } = await asked('operator', 'POST', '/v1/pauses/end', resume);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    body.rollouts.map((one) => one.document),
    [document],
  );
  assert.equal(await stopped(), undefined);
  await worker(where);
  assert.ok(launches() > before, 'it launches again');
});
