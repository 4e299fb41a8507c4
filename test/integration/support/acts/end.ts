import assert from 'node:assert/strict';
import { DeleteSecurityGroupCommand } from '@aws-sdk/client-ec2';
import { rulesOf } from '../colleague-rules.ts';
import type { Life } from '../life.ts';
import { isMutating } from '../recording-proxy.ts';
import { standing } from '../standing.ts';
import { unchanged } from './create.ts';

export async function retains({ want, sees, colleague, isOld }: Life): Promise<void> {
  if (isOld) await removeDescribed(colleague);
  const before = await standing(colleague.client);
  await want({ empty: true });
  const held = await sees(['apply', '--yes'], { code: 3, shows: [/limit/] });
  assert.deepEqual(held.calls.filter(isMutating), [], 'rules are deleted with their documents, but not so many');
  await sees(['apply', '--yes', '--allow-deletes', '7'], {
    code: 0,
    shows: [isOld ? /^Applied: .* 6 deleted/ : /^Applied: 0 added, 0 changed, 0 replaced, 7 deleted/],
  });
  for (const group of ['core-all', 'core-web', 'core-db'])
    assert.deepEqual(await rulesOf(group, colleague), ['out -1 0.0.0.0/0'], 'what AWS puts into a group is wanted too');
  assert.deepEqual(await standing(colleague.client), before, 'the rest is retained');
  await sees(['prune'], { code: 0, shows: [/^Orphans: 13/, /network\/core /, /network\/legacy /, /instance\/web-0 /] });
}

async function removeDescribed({ rules }: Life['colleague']): Promise<void> {
  const ssh = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22 };
  await rules.remove('core-all', { ...ssh, IpRanges: [{ CidrIp: '203.0.113.0/24', Description: 'the office' }] });
}

export async function leavesNothing({ sees, colleague, before }: Life): Promise<void> {
  await sees(['prune', '--all', '--yes'], { code: 3, shows: [/limit/] });
  // AWS refuses to delete a VPC that still has a group in it, and moto does not ask: the colleague cleans up.
  await colleague.client.send(new DeleteSecurityGroupCommand({ GroupId: await colleague.group('by-hand') }));
  await sees(['prune', '--all', '--yes', '--allow-deletes', '50'], { code: 0, shows: [/^Applied: .* 13 deleted/] });
  assert.deepEqual(await standing(colleague.client), before, 'only what was there before us is there');
  await sees(['prune'], { code: 0, shows: [/^Orphans: none/] });
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

interface Entry {
  readonly body: { readonly calls?: readonly { readonly action: string; readonly requestId?: string }[] };
}

/** By the cloud's own ids of its answers: each call that wrote is in the ledger, and the ledger has no other. */
export async function provesEveryCall({ sees, written }: Life): Promise<void> {
  const { stdout } = await sees(['ledger', '--json', '--limit', '100000'], { code: 0 });
  const entries: readonly Entry[] = JSON.parse(stdout).entries;
  const calls = entries.flatMap(({ body }) => body.calls ?? []).filter(isMutating);
  const recorded = new Map(calls.map(({ action, requestId }) => [requestId, action]));
  const sent = new Map(written().map(({ action, requestId }) => [requestId, action]));
  assert.ok(sent.size > 50 && !sent.has(''), 'moto tells each answer by an id of its own');
  assert.deepEqual([...recorded].toSorted(), [...sent].toSorted());
  await sees(['ledger', 'verify'], {
    code: 0,
    shows: [/^Ledger: whole, \d+ entries in \d+ chains?, \d+ signed checkpoints?/],
  });
}
