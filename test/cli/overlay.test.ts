import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { commandsFor } from '../../src/cli/commands/index.ts';
import { contextOn } from './support/context.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const head = 'apiVersion: setpoint.dev/v1\n';
const folder = temporaryFolder({
  'specs/all.yaml': [
    `${head}kind: Target\nmetadata: { name: here }\nspec: { provider: memory, account: overlays, region: r }\n`,
    `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [here], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }\n`,
  ].join('---\n'),
  'specs/overlays/prod/estate.yaml': `${head}kind: Estate\nmetadata: { name: acme-prod }\nspec: {}\n`,
  'specs/overlays/prod/net.yaml': 'kind: Network\nmetadata: { name: core }\nspec: { cidr: 10.0.0.0/20 }\n',
  'specs/overlays/test/estate.yaml': `${head}kind: Estate\nmetadata: { name: acme-test }\nspec: {}\n`,
});
const specs = join(folder, 'specs');
const run = commandLine();

test('validate --overlay: the documents of that overlay count, and its name shows', async () => {
  const { code, stdout } = await run(['validate', specs, '--overlay', 'prod', '--json']);
  const { estate, documents, overlay, revision } = JSON.parse(stdout);
  assert.deepEqual([code, estate, documents, overlay], [0, 'acme-prod', 3, 'prod']);
  assert.match(revision, /^folder:[0-9a-f]{64}@prod$/);
});

test('an overlay that is not there: exit 1, and which there are', async () => {
  const { code, stderr } = await run(['plan', specs, '--overlay', 'prd']);
  assert.equal(code, 1);
  assert.match(stderr, /there is no overlay "prd"[\s\S]*expected: prod, test\s+did you mean: prod/);
});

test('plan --overlay plans it, and names it in the first line', async () => {
  const { code, stdout } = await run(['plan', specs, '--overlay', 'prod']);
  assert.equal(code, 0);
  assert.match(stdout, /^Plan: 3 to add.* · folder [0-9a-f]{7} \(overlay prod\) · /);
  assert.match(stdout, /cidr {2}10\.0\.0\.0\/20/);
});

test('a plan that was kept knows its overlay: apply --plan needs no word of it', async () => {
  const kept = join(folder, 'next.plan');
  assert.equal((await run(['apply', specs, '--overlay', 'prod', '--yes'])).code, 0);
  write(
    'specs/overlays/prod/more.yaml',
    `${head}kind: Network\nmetadata: { name: more }\nspec: { targets: [here], cidr: 10.1.0.0/16 }\n`,
  );
  const planned = await run(['plan', specs, '--overlay', 'prod', '--out', kept]);
  assert.equal(planned.code, 0);
  assert.ok(planned.stderr.includes(`: setpoint apply --plan ${kept} ${specs}\n`), planned.stderr);
  const { code, stdout, stderr } = await run(['apply', specs, '--plan', kept]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Applied: 2 /);
});

test('explain names the deciding line and layer of each field', async () => {
  const { code, stdout } = await run(['explain', 'network/core', '--specs', specs, '--overlay', 'prod']);
  const line = (file: string): string => join(specs, file);
  assert.equal(code, 0);
  assert.match(stdout, /\nOrigin\n {2}FIELD +VALUE +LAYER +LINE\n/);
  assert.ok(stdout.includes(`10.0.0.0/20    overlay prod  ${line('overlays/prod/net.yaml')}:3\n`), stdout);
  assert.ok(stdout.includes(`here           base          ${line('all.yaml')}:9\n`), stdout);
  assert.equal(stdout.match(/\n {2}internet +false +default\n/g)?.length, 1, 'its subnets do not tell it again');
});

test('explain --json has the same, with the column', async () => {
  const { stdout } = await run(['explain', 'subnet/core.app', '--specs', specs, '--overlay', 'prod', '--json']);
  const { origins } = JSON.parse(stdout);
  assert.deepEqual(origins, [
    { ...app, field: 'name', value: 'app', column: 63 },
    { ...app, field: 'cidr', value: '10.0.0.0/24', column: 74 },
    { document: app.document, field: 'internet', value: false, layer: 'default' },
  ]);
});

const app = { document: 'memory/overlays/r/network/core', layer: 'base', file: join(specs, 'all.yaml'), line: 9 };

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const context = contextOn();

/** They read no specs, or their subcommands do; init writes them. */
const without = [
  'init',
  'schema',
  'ledger',
  'sql',
  'api',
  'login',
  'logout',
  'token',
  'sandbox',
  'policy',
  'incident',
  'patch',
];

for (const make of await commandsFor(undefined)) {
  const command = make(context);
  if (without.includes(command.name())) continue;
  test(`${command.name()} takes an overlay`, () => assert.ok(command.options.some(({ long }) => long === '--overlay')));
}
