import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CreateTagsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const allow = '--allow-endpoint';
const because = ['--reason', 'a freeze'];

const place = await sandboxed();
const { specs, sandbox } = place;
const run = commandLine();
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
const json = async (...args: readonly string[]) => JSON.parse((await run([...args, allow, '--json'])).stdout);
const writes = () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);

/** A label of web-0 drifts, and the specs ask for another description of a rule. */
const shelf = await json('inventory', specs, '--kind', 'instance');
const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1' });
const [web] = shelf.scopes[0].objects.filter(({ address }: { address?: string }) => address?.endsWith('/web-0'));
await client.send(new CreateTagsCommand({ Resources: [web.id], Tags: [{ Key: 'tier', Value: 'toms' }] }));
client.destroy();
edit(specs, 'network.yaml', 'description: public site', 'description: our site');

interface Planned {
  readonly actions: readonly { readonly address: string; readonly cause: string }[];
  readonly findings: readonly { readonly type: string; readonly code?: string; readonly reason: string }[];
}
const pausedIn = ({ findings }: Planned) => findings.filter(({ code }) => code === 'paused');
const causes = ({ actions }: Planned) => new Set(actions.map(({ cause }) => cause));

const rows: readonly (readonly [given: readonly string[], goes: readonly string[], held: number])[] = [
  [[], [], 2],
  [['--healing'], ['rollout'], 1],
  [['--rollout'], ['drift'], 1],
  [['--owner', 'team-web'], [], 2],
  [['--owner', 'team-data'], ['drift', 'rollout'], 0],
  [['--address', 'web-0'], ['rollout'], 1],
  [['--target', 'aws-prod'], [], 2],
];
for (const [given, goes, held] of rows)
  test(`plan while ${given.join(' ') || 'all'} is paused`, async (t) => {
    t.after(() => run(['resume', specs, '--all', ...because]));
    assert.equal((await run(['pause', specs, ...given, ...because])).code, 0);
    const plan: Planned = await json('plan', specs);
    assert.deepEqual([...causes(plan)].sort(), goes);
    assert.equal(pausedIn(plan).length, held);
    for (const { reason } of pausedIn(plan))
      assert.match(
        reason,
        /paused for .*: a freeze\. It resumes then. To resume earlier, run the line that setpoint status/,
      );
  });

test('drift shows while healing is paused, with the pause', async (t) => {
  t.after(() => run(['resume', specs, '--all', ...because]));
  await run(['pause', specs, ...because]);
  const { code, stdout } = await run(['drift', specs, allow, '--detailed-exitcode']);
  assert.equal(code, 2);
  assert.match(stdout, /^Drift: 1 change\n/);
  assert.match(stdout, /~ labels\.tier {2}toms → /);
  assert.match(stdout, /· instance web-0 withheld {2}paused for the estate by /);
  assert.doesNotMatch(stdout, /our site/);
});

test('a plan with everything withheld exits 2 with --detailed-exitcode', async (t) => {
  t.after(() => run(['resume', specs, '--all', ...because]));
  await run(['pause', specs, ...because]);
  assert.equal((await run(['plan', specs, allow, '--detailed-exitcode'])).code, 2);
  assert.equal((await run(['plan', specs, allow])).code, 0);
});

test('apply leaves paused resources alone, says so, and exits 3, and so does a saved plan', async (t) => {
  t.after(() => run(['resume', specs, '--all', ...because]));
  const kept = join(temporaryFolder(), 'next.plan');
  assert.equal((await run(['plan', specs, allow, '--out', kept])).code, 0);
  await run(['pause', specs, '--healing', ...because]);
  sandbox.control.log.clear();
  const saved = await run(['apply', specs, allow, '--plan', kept]);
  assert.equal(saved.code, 3, saved.stdout);
  assert.match(saved.stdout, /refused +update \S+\/instance\/web-0: healing paused for the estate by /);
  assert.match(saved.stdout, /^Applied: 0 added, 1 changed/);
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3);
  assert.match(stdout, /^Not applied: .* 1 refused/);
  assert.match(stdout, /refused +update \S+\/instance\/web-0: healing paused for the estate by /);
  assert.ok(!writes().includes('CreateTags'), String(writes()));
});

test('a pause that begins while apply asks holds too', async (t) => {
  t.after(() => run(['resume', specs, '--all', ...because]));
  const store = run.database.connect();
  const of = { by: 'estate' } as const;
  const begin = () =>
    store.fleet.pauses.begin('acme', { what: 'all', of, reason: 'now', person: 'ann', until: Date.now() + 60_000 });
  sandbox.control.log.clear();
  const { acquire } = store.leases;
  const late: typeof acquire = async (...args) => {
    await begin();
    return acquire(...args);
  };
  const meanwhile = { ...store, leases: { ...store.leases, acquire: late } };
  const database = { ...run.database, connect: () => meanwhile };
  const { code, stdout } = await commandLine({ database })(['apply', specs, allow, '--yes']);
  assert.match(stdout, /refused +update \S+\/instance\/web-0: paused for the estate by ann/);
  assert.equal(code, 3);
  assert.deepEqual(writes(), []);
});
