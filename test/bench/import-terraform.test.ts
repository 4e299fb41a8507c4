import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { importTerraform } from '../../bench/import-terraform.ts';
import { inScratch } from '../../bench/processes/scratch.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';

const managed = (type: string, attributes: readonly object[]) => ({
  mode: 'managed',
  type,
  name: 'x',
  instances: attributes.map((one, index_key) => ({ index_key, attributes: one })),
});

const id = (prefix: string, end: number): string => `${prefix}-${String(end).padStart(17, '0')}`;

const state = {
  version: 4,
  resources: [
    managed('aws_vpc', [{ id: id('vpc', 1), cidr_block: '10.20.0.0/16' }]),
    managed('aws_subnet', [{ id: id('subnet', 1), cidr_block: '10.20.0.0/20' }]),
    managed('aws_security_group', [{ id: id('sg', 1), name: 'g-0', description: 'd' }]),
    managed('aws_vpc_security_group_ingress_rule', [
      {
        ...{ id: id('sgr', 1), security_group_id: id('sg', 1), cidr_ipv4: '10.0.0.0/8' },
        ...{ ip_protocol: 'tcp', from_port: 1000, to_port: 1000 },
      },
    ]),
    managed(
      'aws_instance',
      Array.from({ length: 15 }, (_, end) => ({
        ...{ id: id('i', end), ami: 'ami-12c6146b', instance_type: 't3.micro', tags: { Name: `i-${end}` } },
        vpc_security_group_ids: [id('sg', 1)],
      })),
    ),
  ],
};

const measured = (text: string, spoil: (sandbox: Sandbox) => unknown = () => undefined) =>
  inScratch(async (folder) => {
    await writeFile(join(folder, 'aws-502.tfstate'), text);
    const accounts = [{ id: '123456789012', accessKeyIds: ['AKIDEXAMPLE'] }];
    const sandbox = await startSandbox({ accounts, budgets: false });
    spoil(sandbox);
    return importTerraform(folder, async () => ({
      name: 'the sandbox',
      url: sandbox.url,
      close: () => sandbox.close(),
    }));
  });

test('an import from a state takes a call a listing, and the apply only marks', async () => {
  const [reads, writes, others] = await measured(JSON.stringify(state));
  assert.deepEqual(reads, { name: 'import-terraform-reads', value: 11, unit: 'calls on the sandbox', floor: 0 });
  assert.ok(writes !== undefined && writes.value > 0, 'marks are writes');
  assert.deepEqual(writes.evidence, [`${writes.value} CreateTags`]);
  assert.deepEqual([others?.name, others?.value], ['import-terraform-others', 0]);
});

test('more calls than were asked for are a miss', async () => {
  const [reads] = await measured(JSON.stringify(state), ({ control: { faults } }) => {
    faults.add({ match: { action: 'DescribeInstances' }, effect: { kind: 'short-page', items: 1 } });
  });
  assert.match(reads === undefined ? '' : (missed(reads) ?? ''), /import-terraform-reads: value \d+ is over 20/);
});

test('an import that leaves out an instance of the state breaks the bench', async () => {
  const wider = JSON.stringify(state).replace('"ip_protocol"', '"cidr_ipv6":"::/0","ip_protocol"');
  await assert.rejects(measured(wider), /not all of 19 have documents/);
});

test('no state is an error', async () => {
  await assert.rejects(importTerraform('/nowhere'), /set SETPOINT_TERRAFORM/);
});
