import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startSandbox } from '../../sandbox/index.ts';
import { resourceTypes } from '../../src/core/import/terraform/resource-types.ts';
import { hasTerraform, runTerraform } from '../support/terraform.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/from-terraform.md'), 'utf8');
const program = join(root, 'src/bootstrap/cli.ts');

const [account, region] = ['111122223333', 'eu-west-1'];
const [vpc, subnet] = ['vpc-0000000000000000a', 'subnet-0000000000000000a'];
const estate = {
  regions: [
    {
      ...{ account, region },
      vpcs: [{ key: 'main', id: vpc, cidr: '10.0.0.0/16', subnets: [{ key: 'a', id: subnet, cidr: '10.0.1.0/24' }] }],
    },
  ],
};

const specs = (url: string): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: prod }
spec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${url}", mode: observe }
`;

const state = JSON.stringify({
  version: 4,
  resources: [
    { mode: 'managed', type: 'aws_vpc', name: 'main', instances: [{ attributes: { id: vpc } }] },
    { mode: 'managed', type: 'aws_subnet', name: 'app', instances: [{ index_key: 'a', attributes: { id: subnet } }] },
  ],
});

/** Prints the state, and does nothing else: Terraform itself is tested by its makers. */
const terraform = `#!/bin/sh
case "$1" in state|show) cat "$(dirname "$0")/state.json" ;; esac
`;
const setpoint = `#!/bin/sh
exec '${process.execPath}' '${program}' "$@" --allow-endpoint
`;

process.env['AWS_ACCESS_KEY_ID'] = 'test';
process.env['AWS_SECRET_ACCESS_KEY'] = 'test';

const linesIn = (language: string): readonly string[] =>
  [...page.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? text.trim().split('\n') : [],
  );

describe('docs/from-terraform.md', () => {
  test('leads from a state to an enforced estate, line by line as printed', async () => {
    const sandbox = await startSandbox({ budgets: false, clock: { rate: 1000 }, estate });
    after(() => sandbox.close());
    const folder = temporaryFolder({ 'specs/estate.yaml': specs(sandbox.url), 'bin/state.json': state });
    for (const [name, text] of [
      ['terraform', terraform],
      ['setpoint', setpoint],
    ] as const) {
      writeFileSync(join(folder, 'bin', name), text);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
    const run = commandLine();
    // why: the page's commands are those of a person in this folder
    process.chdir(folder);
    const said = new Map<string, string>();
    for (const line of linesIn('sh')) {
      const [command, ...args] = line.trim().split(' ');
      if (command !== 'setpoint') {
        await promisify(execFile)('sh', ['-c', line], { cwd: folder, env });
        continue;
      }
      const { code, stdout, stderr } = await run([
        ...args,
        '--allow-endpoint',
        ...(args[0] === 'apply' ? ['--yes'] : []),
      ]);
      assert.equal(code, 0, `${line}: ${stdout}${stderr}`);
      said.set(line, `${said.get(line) ?? ''}${stdout}\n`);
    }
    assert.match(said.get('setpoint plan') ?? '', /withheld[\s\S]*Plan: .*2 to adopt/);
    assert.match(said.get('setpoint apply') ?? '', /0 added, 0 changed, 0 replaced, 0 deleted, 2 adopted/);
    assert.match(readFileSync(join(folder, 'specs/estate.yaml'), 'utf8'), /mode: enforce/);
    assert.deepEqual(readdirSync(join(folder, 'specs')), ['estate.yaml', 'imported'], 'the dry run wrote nothing');
    assert.deepEqual(
      [existsSync(join(folder, 'setpoint-removed.tf')), existsSync(join(folder, 'terraform.tfstate'))],
      [true, false],
    );
  });

  test('lists each type that Setpoint knows, by its kind and cloud', () => {
    const clouds = ['aws', 'gcp', 'azure'];
    const listed = [...page.matchAll(/^\| (network|subnet|group|firewall-rule|instance) \|(.*)\|$/gm)].flatMap(
      ([, kind, cells = '']) =>
        cells
          .split('|')
          .flatMap((cell, at) => [...cell.matchAll(/`(\w+)`/g)].map(([, type]) => `${type} ${clouds[at]} ${kind}`)),
    );
    const known = Object.entries(resourceTypes).map(([type, { cloud, kind }]) => `${type} ${cloud} ${kind}`);
    assert.deepEqual(listed.toSorted(), known.toSorted());
  });

  test('has the blocks of Terraform in its own format', async (t) => {
    if (!(await hasTerraform())) return t.skip('terraform is not installed');
    const folder = temporaryFolder({ 'main.tf': `${linesIn('hcl').join('\n')}\n` });
    await runTerraform(['fmt', '-check'], folder);
  });
});
