import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { type GcpWorld, gcpWorld, machine } from './gcp-world.ts';

/** Traffic that the firewalls allow or deny, without their names. */
async function firewalls({ ask }: GcpWorld): Promise<readonly string[]> {
  const { body } = await ask<{ readonly items?: readonly Firewall[] }>('GET', 'global/firewalls');
  const items: readonly Firewall[] = body.items ?? [];
  return items.map(({ allowed, denied }) => `${allowed ? 'allow' : 'deny'} ${portsOf(allowed ?? denied)}`).toSorted();
}

interface Firewall {
  readonly allowed?: readonly Entry[];
  readonly denied?: readonly Entry[];
}
interface Entry {
  readonly IPProtocol: string;
  readonly ports?: readonly string[];
}
const portsOf = (entries: readonly Entry[] = []): string =>
  entries.map(({ IPProtocol, ports = [] }) => [IPProtocol, ...ports].join(' ')).join(', ');

const refuse = ({ sandbox }: GcpWorld, action: string, nth?: number): void => {
  const match = { action: `compute.firewalls.${action}`, ...(nth === undefined ? {} : { nth }) };
  sandbox.control.faults.add({ match, effect: { kind: 'error', code: 'quotaExceeded', status: 403 } });
};

test('a rule that is cut in two lets through all it did until both halves stand', async () => {
  await using world = await gcpWorld();
  await world.apply([network(), rule('https', { ports: [80, 443] }), machine('web')]);
  const halves = [network(), rule('https'), rule('http', { ports: [80] }), machine('web')];
  refuse(world, 'insert');
  await world.apply(halves);
  assert.deepEqual(await firewalls(world), ['allow tcp 80 443']);
  world.sandbox.control.faults.clear();
  const cut = await world.apply(halves);
  assert.deepEqual([cut.writes, cut.left], [['firewalls.insert 200', 'firewalls.patch 200'], []]);
  assert.deepEqual(await firewalls(world), ['allow tcp 443', 'allow tcp 80']);
});

test('of two rules that become one the second goes after the first has widened', async () => {
  await using world = await gcpWorld();
  await world.apply([network(), rule('https'), rule('http', { ports: [80] }), machine('web')]);
  const one = [network(), rule('https', { ports: [80, 443] }), machine('web')];
  refuse(world, 'patch');
  await world.apply(one);
  assert.deepEqual(await firewalls(world), ['allow tcp 443', 'allow tcp 80']);
  world.sandbox.control.faults.clear();
  const joined = await world.apply(one);
  assert.deepEqual([joined.writes, joined.left], [['firewalls.patch 200', 'firewalls.delete 200'], []]);
});

test('what leaves is denied by default only once what may leave is let through', async () => {
  await using world = await gcpWorld();
  await world.apply([network(), machine('web')]);
  const closed = [
    network({ default: { ingress: 'deny', egress: 'deny' } }),
    rule('out', { direction: 'egress' }),
    machine('web'),
  ];
  // The denial of IPv6 comes first and waits for nothing, as the rule that is refused lets IPv4 through.
  refuse(world, 'insert', 2);
  await world.apply(closed);
  assert.deepEqual(await firewalls(world), ['deny all']);
  const denied = await world.apply(closed);
  assert.deepEqual([denied.left, await firewalls(world)], [[], ['allow tcp 443', 'deny all', 'deny all']]);
});
