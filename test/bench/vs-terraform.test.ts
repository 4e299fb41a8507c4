import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { inScratch } from '../../bench/processes/scratch.ts';
import { countingProxy, measureTerraform, type Outside, openMoto, vsTerraform } from '../../bench/vs-terraform.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';

const small = { networks: 1, subnets: 1, groups: 2, rulesPerGroup: 2, machines: { documents: 2, replicas: 2 } };

/** A sandbox in moto's place, with moto's account. */
const onSandbox = async (work: (sandbox: Sandbox, outside: Outside) => Promise<void>): Promise<void> => {
  const sandbox = await startSandbox({ accounts: [{ id: '123456789012', accessKeyIds: ['AKIDEXAMPLE'] }] });
  const open = async () => ({ url: sandbox.url, reset: async () => {}, close: () => {} });
  try {
    await work(sandbox, { open, terraform: async () => undefined });
  } finally {
    await sandbox.close();
  }
};

test('a plan with nothing to do takes one call a listing, and making takes a call for each group and document', () =>
  onSandbox(async ({ control }, outside) => {
    const [plan, peak, create] = await vsTerraform(small, outside);
    assert.deepEqual(plan, { name: 'vs-terraform-plan-calls', value: 8, unit: 'calls', floor: 2308, ratio: 8 / 2308 });
    assert.ok(peak !== undefined && peak.value > 50 && peak.value < 1000, `peak of ${peak?.value} MB`);
    assert.equal(create?.value, control.log.entries().length - 8, 'the proxy counts what the cloud was asked');
  }));

test('more calls than were asked for are a miss, and where terraform works its time is told', () =>
  onSandbox(async ({ control: { faults } }, outside) => {
    faults.add({ match: { action: 'DescribeInstances' }, effect: { kind: 'short-page', items: 1 } });
    const terraform = async () => ({ createCalls: 10, planCalls: 20, planMs: 1000, planPeakMB: 300 });
    const figures = await vsTerraform(small, { ...outside, terraform });
    assert.deepEqual(
      figures.map(({ name, floor }) => [name.slice('vs-terraform-'.length), floor]),
      [
        ['plan-calls', 20],
        ['plan-peak', 300],
        ['create-calls', 10],
        ['plan-time', 1000],
      ],
    );
    assert.equal(figures[0] && missed(figures[0]), 'vs-terraform-plan-calls: value 11 is over 8');
  }));

/** Speaks as Terraform does, and makes three calls of the cloud for a plan that needs two. */
const fakeTerraform = `#!${process.execPath}
const { readFileSync } = require('node:fs');
const [, url] = /ec2 = "(.+)"/.exec(readFileSync('main.tf', 'utf8'));
const calls = { init: 1, apply: 3, plan: 2 }[process.argv[2]];
const all = Array.from({ length: calls }, () => fetch(url, { method: 'POST', body: 'Action=DescribeVpcs' }));
Promise.all(all).catch(() => process.exit(1));
`;

test('a terraform that works is measured; one that does not, or none, is no peer', () =>
  onSandbox(({ url }) =>
    inScratch(async (folder) => {
      const proxy = await countingProxy(url);
      const peer = () => measureTerraform(proxy, { ...process.env, PATH: folder });
      try {
        assert.equal(await peer(), undefined);
        // why: a package.json somewhere above would decide the type of the script
        await writeFile(join(folder, 'package.json'), '{}');
        await writeFile(join(folder, 'terraform'), fakeTerraform, { mode: 0o755 });
        const measured = await peer();
        assert.deepEqual([measured?.createCalls, measured?.planCalls], [3, 2]);
        await writeFile(join(folder, 'terraform'), `#!${process.execPath}\nprocess.exit(1);\n`, { mode: 0o755 });
        assert.equal(await peer(), undefined);
      } finally {
        await proxy.close();
      }
    }),
  ));

test('without moto there are no figures', async () => {
  assert.deepEqual(await vsTerraform(small, { open: async () => undefined, terraform: async () => undefined }), []);
  assert.equal(await openMoto({ SETPOINT_GATES: '/nowhere' }), undefined);
});

test('the proxy counts by action, and begins anew after each look', () =>
  onSandbox(async ({ url }) => {
    const proxy = await countingProxy(url);
    try {
      const body = 'Action=DescribeVpcs&Version=2016-11-15';
      const { status } = await fetch(proxy.url, { method: 'POST', body });
      assert.notEqual(status, 502);
      await fetch(`${proxy.url}/_sandbox/clock`, { method: 'POST', body: '{}' });
      assert.deepEqual(proxy.take(), { DescribeVpcs: 1, 'POST /_sandbox/clock': 1 });
      assert.deepEqual(proxy.take(), {});
    } finally {
      await proxy.close();
    }
  }));
