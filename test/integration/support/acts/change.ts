import assert from 'node:assert/strict';
import { rulesOf } from '../colleague-rules.ts';
import type { Life } from '../life.ts';
import { isMutating, type RecordedCall } from '../recording-proxy.ts';
import { unchanged } from './create.ts';

const actions = (calls: readonly RecordedCall[]): readonly string[] => calls.map(({ action }) => action);
const ports = ({ params }: RecordedCall): readonly string[] =>
  [...params].filter(([key]) => /FromPort$/.test(key)).map(([, value]) => value);

export async function moves({ want, sees, colleague, blocks }: Life): Promise<void> {
  await want({ webPorts: '443, 8050-9100' });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 0 added, 1 changed, 0 replaced/] });
  const [added, removed, ...others] = calls.filter(isMutating);
  assert.ok(added && removed);
  assert.deepEqual(actions([added, removed]), ['AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress']);
  assert.deepEqual(others, []);
  assert.deepEqual([...new Set(ports(added))], ['8050']);
  assert.deepEqual([...new Set(ports(removed))], ['8000'], 'what stays as it is, 443, is in neither');
  const between = calls.slice(calls.indexOf(added) + 1, calls.indexOf(removed));
  assert.ok(actions(between).includes('DescribeSecurityGroups'), 'the new was seen before the old went');
  const tcp = (await rulesOf('core-web', colleague)).filter((rule) => rule.startsWith('in tcp'));
  assert.deepEqual(
    tcp.map((rule) => rule.split(' ').slice(2, 4).join(' ')),
    ['443-443', '8050-9100'].flatMap((range) => blocks.site.map((block) => `${range} ${block}`)),
  );
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

const moved = { webPorts: '443, 8050-9100' } as const;
export const grown = { ...moved, dbSize: 't3.large' } as const;

export async function resizes({ want, sees, colleague }: Life): Promise<void> {
  const [before] = await colleague.machines('db');
  await want(grown);
  await sees(['plan'], {
    code: 0,
    shows: [/~ instance db-0 {2}stops the machine/, /~ machine\.size {2}t3\.medium → t3\.large/],
  });
  const { calls } = await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 0 added, 1 changed, 0 replaced/] });
  assert.deepEqual(actions(calls.filter(isMutating)), ['StopInstances', 'ModifyInstanceAttribute', 'StartInstances']);
  assert.deepEqual(await colleague.machines('db'), [{ id: before?.id, state: 'running', size: 't3.large' }]);
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

export async function scalesDown({ want, sees, colleague }: Life): Promise<void> {
  await want({ ...grown, replicas: 1, deletes: 1 });
  const held = await sees(['apply', '--yes'], {
    code: 3,
    shows: [/refused {3}delete \S+web-1: .*limit/, /web-2: .*limit/],
  });
  assert.deepEqual(held.calls.filter(isMutating), []);
  assert.equal((await colleague.machines('web')).length, 3);
  await sees(['apply', '--yes', '--allow-deletes', '2'], {
    code: 0,
    shows: [/^Applied: 0 added, 0 changed, 0 replaced, 2 deleted/],
  });
  assert.deepEqual(
    (await colleague.machines('web')).map(({ state }) => state),
    ['running'],
  );
  await sees(['inventory', '--kind', 'instance'], { code: 0, shows: [/web-0/], never: [/web-[12]/] });
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}
