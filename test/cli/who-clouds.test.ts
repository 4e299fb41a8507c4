import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';
import { azureColleague } from '../../scripts/demo/azure-colleague.ts';
import { gcpColleague } from '../../scripts/demo/gcp-colleague.ts';
import { commandLine } from './support/in-process.ts';
import { edit } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Google Cloud and Azure change the ports of a rule in place: a port that a rule opened once is in no removal. */
process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
const sandbox = await startSandbox({ budgets: false, clock: { rate: 100 } });
after(() => sandbox.close());
const texts = ['estate.yaml', 'instances.yaml', 'network.yaml', 'web.sh'].map((name) => [
  name,
  readFileSync(`specs/${name}`, 'utf8').replaceAll('http://127.0.0.1:4566', sandbox.url),
]);
const specs = temporaryFolder(Object.fromEntries(texts));
const run = commandLine();
const allow = '--allow-endpoint';
const who = async (port: string) => (await run(['who', port, '--specs', specs, allow, '--target', 'gcp-prod'])).stdout;
const apply = async () => assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
await apply();

test('a port that a colleague opened in a rule of ours, and that healing shut', async () => {
  await gcpColleague(sandbox.url).widen('core-office', 2222);
  assert.match(await who('2222'), /^2222: 1 rule opens it\n\nfirewall-rule core\.office-ssh-\w+ {2}ours, drifted/);
  await apply();
  assert.match(
    await who('2222'),
    /^2222: no observed rule opens it; 1 rule opened it in the last 7 days, and Setpoint removed or changed it\n\nfirewall-rule core\.office-ssh-\w+ {2}ours\n {2}ingress tcp 22 from .*\n {2}it was: ingress tcp 22,2222 from .*\n(.*\n)+ {2}update by Setpoint .*\n.*\n {2}create by Setpoint/,
  );
});

test('a port that a change of specs opened, and another one shut', async () => {
  edit(specs, 'network.yaml', 'ports: [443]', 'ports: [443, 3333]');
  await apply();
  assert.match(await who('3333'), /^3333: 1 rule opens it\n/);
  edit(specs, 'network.yaml', 'ports: [443, 3333]', 'ports: [443]');
  await apply();
  const text = await who('3333');
  assert.match(
    text,
    /^3333: no observed rule opens it; 1 rule opened it in the last 7 days, and Setpoint removed or changed it\n/,
  );
  assert.match(text, /update by Setpoint .*generation 3 .*\n.*\n {2}update by Setpoint .*generation 2 /);
  assert.match(await who('443'), /^443: 1 rule opens it\n/);
});

test('a rule that was narrowed, and still opens the port, shows its former peers', async () => {
  edit(specs, 'network.yaml', 'cidrs: [203.0.113.0/24]', 'cidrs: [0.0.0.0/0]');
  await apply();
  edit(specs, 'network.yaml', 'cidrs: [0.0.0.0/0] }   # the office', 'cidrs: [203.0.113.0/24] }   # the office');
  await apply();
  const text = await who('22');
  assert.match(text, /^22: 1 rule opens it\n/);
  assert.match(text, / {2}ingress tcp 22 from 203\.0\.113\.0\/24 .*\n {2}it was: ingress tcp 22 from 0\.0\.0\.0\/0 /);
});

test('many changes of other kinds hide no rule', async () => {
  edit(specs, 'network.yaml', 'ports: [443]', 'ports: [443, 4444]');
  await apply();
  edit(specs, 'network.yaml', 'ports: [443, 4444]', 'ports: [443]');
  await apply();
  const { ledger } = run.database.connect();
  for (let n = 0; n < 250; n += 1) await ledger.note('acme', { verb: 'update', kind: 'instance', n });
  const all = JSON.parse((await run(['who', '4444', '--specs', specs, allow, '--json'])).stdout);
  assert.equal(all.resources.filter((one: { formerRule?: object }) => one.formerRule !== undefined).length, 2);
  assert.equal(all.truncated, undefined);
});

test('a rule of which the ledger has no creation says that its maker is unknown', async () => {
  await azureColleague(sandbox.url).open('core-nsg', 2323);
  await apply();
  const { stdout } = await run(['who', '2323', '--specs', specs, allow]);
  assert.match(
    stdout,
    /^2323: 1 rule opens it; 1 rule opened it in the last 7 days, and Setpoint removed or changed it\n/,
  );
  assert.match(
    stdout,
    / {2}delete by Setpoint .*\n.*\n {2}the newest entries of the ledger have no creation of it, and no webhook brings the audit log of its cloud: its maker is unknown\n/,
  );
});
