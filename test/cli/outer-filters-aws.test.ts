import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { EC2Client } from '@aws-sdk/client-ec2';
import { onePort, putNetworkAcl } from '../support/network-acl.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const { sandbox, specs } = await sandboxed();
const run = commandLine();
const store = ['--allow-endpoint', '--dir', temporaryFolder()];
const region = 'eu-west-1';
const account = '111122223333';
const client = new EC2Client({ endpoint: sandbox.url, region, maxAttempts: 1 });
before(async () => {
  const applied = await run(['apply', specs, ...store, '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
});

const reach = (...args: readonly string[]) => run(['reach', ...args, '--specs', specs, ...store]);
const listings = (): number => sandbox.control.log.counts()['DescribeNetworkAcls'] ?? 0;
const machines = () => [...sandbox.control.ec2.region(account, region).instances.values()];
const idOf = (name: string): string => machines().find(({ tags }) => tags.get('Name') === name)?.id ?? '';
const arrives = (from: string, to: string, port: number): boolean =>
  sandbox.control.ec2.packet({ account, region }, { from, to, protocol: 'tcp', port }).allowed;

/** The subnet of a machine gets an ACL that denies all but SSH. */
async function associate(name: string): Promise<string> {
  const interfaces = [...sandbox.control.ec2.region(account, region).interfaces.values()];
  const { place } = interfaces.find(({ attachment }) => attachment?.instanceId === idOf(name)) ?? assert.fail(name);
  return putNetworkAcl(client, place.subnetId, onePort(22));
}

test('observations of ten minutes share one listing, and reach always lists anew', async () => {
  sandbox.control.log.clear();
  await run(['plan', specs, ...store]);
  await run(['plan', specs, ...store]);
  assert.equal(listings(), 0, 'the apply has listed them');
  assert.equal((await reach('internet', 'web-0', '443')).code, 0);
  assert.equal(listings(), 1);
  await run(['inventory', specs, '--refresh', ...store]);
  assert.equal(listings(), 1);
});

test('a listing that is denied leaves reach unknown, and an apply goes on', async () => {
  const match = { action: 'DescribeNetworkAcls' };
  const fault = sandbox.control.faults.add({ match, effect: { kind: 'access-denied' } });
  const { code, stdout } = await reach('internet', 'web-0', '443');
  assert.equal(code, 3);
  assert.match(
    stdout,
    /the network ACL of subnet core\.app is not known: network ACLs were not listed: UnauthorizedOperation: /,
  );
  edit(specs, 'network.yaml', 'ports: [443]', 'ports: [443, 80]');
  const { stdout: plan } = await run(['plan', specs, ...store]);
  assert.match(plan, /\? may open 80\/tcp to .*from 0\.0\.0\.0\/0/);
  const applied = await run(['apply', specs, ...store, '--yes']);
  assert.equal(applied.code, 0, applied.stderr);
  sandbox.control.faults.remove(fault);
  const again = await reach('internet', 'web-0', '443');
  assert.equal(again.code, 0);
});

test('where the ACL of a colleague stops a packet reach says unknown, in the inventory and in plans too', async () => {
  assert.equal(arrives('internet', idOf('web-0'), 443), true);
  const acl = await associate('web-0');
  const asked = [
    ['internet', 'web-0', 443],
    ['web-0', 'db-0', 5432],
  ] as const;
  for (const [from, to, port] of asked) {
    assert.equal(arrives(idOf(from) || from, idOf(to), port), false, `${from} ${to}`);
    const { code, stdout } = await reach(from, to, `${port}`);
    assert.equal(code, 3, stdout);
    assert.match(
      stdout,
      new RegExp(`network ACL ${acl} may decide in subnet core\\.app, which Setpoint does not evaluate`),
    );
  }
  assert.equal((await reach('db-0', 'web-0', '5432')).code, 2, 'an ACL allows nothing');
  edit(specs, 'network.yaml', 'ports: [5432]', 'ports: [5432, 6432]');
  const { stdout: plan } = await run(['plan', specs, ...store]);
  assert.match(plan, new RegExp(`\\? may open 6432/tcp .*network ACL ${acl}`));
  assert.doesNotMatch(plan, /! opens/);
  const { stdout: inventory } = await run(['inventory', specs, '--exposed']);
  assert.match(inventory, new RegExp(`web-0 .* unknown .*network ACL ${acl}`));
});
