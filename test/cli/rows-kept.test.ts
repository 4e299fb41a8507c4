import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateTagsCommand, EC2Client } from '@aws-sdk/client-ec2';
import type { KeptRow } from '../../src/ports/inventory-rows.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const run = commandLine();
const { sandbox, specs } = await sandboxed();
const allow = '--allow-endpoint';
const store = run.database.connect();
const network = 'aws/111122223333/eu-west-1/network/core';

async function rows(): Promise<readonly KeptRow[]> {
  const sort = { by: 'address', descending: false } as const;
  return (await store.rows.page({ seen: [{}], filter: {}, sort, limit: 1000 })).rows;
}

const find = async (of: string): Promise<KeptRow | undefined> => (await store.rows.find({ seen: [{}], of }))[0];

/** When it was looked at last, and how it stood then. */
const seenAt = async (): Promise<readonly [number, string]> => {
  const row = await find(network);
  return [row?.observed.at ?? 0, row?.state.status ?? ''];
};

test('apply keeps what it made as the lines of the inventory', async () => {
  const { code, stderr } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 0, stderr);
  const ours = (await rows()).filter(({ whose }) => whose.claim === 'ours');
  assert.ok(ours.length >= 13);
  // why: machines may be booting still
  const isMade = ({ state, place }: KeptRow): boolean =>
    state.status === 'InSync' || (state.status === 'Settling' && place.kind === 'instance');
  assert.deepEqual(
    ours.filter((row) => !isMade(row)).map(({ key }) => key),
    [],
  );
  assert.ok(ours.every(({ state }) => state.generation === 1));
});

test('plan, drift and inventory --refresh keep what they saw', async () => {
  const client = new EC2Client({ endpoint: sandbox.url, region: 'eu-west-1' });
  const id = (await find(network))?.called.id ?? '';
  await client.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: 'Name', Value: 'mine' }] }));
  let [before] = await seenAt();
  for (const args of [
    ['plan', specs],
    ['drift', specs],
    ['inventory', specs, '--refresh'],
  ]) {
    assert.equal((await run([...args, allow])).code, 0);
    const [at] = await seenAt();
    assert.ok(at > before, args.join(' '));
    before = at;
  }
});

test('what a person lets pass is nothing that is in force', async () => {
  const [before] = await rows();
  await run(['plan', specs, allow, '--allow-deletes', '100']);
  const [after] = await rows();
  assert.deepEqual(after?.state, before?.state);
});

test('specs that are not in force change no line', async () => {
  const before = await seenAt();
  edit(specs, 'network.yaml', 'env: prod', 'env: test');
  const { code, stderr, stdout } = await run(['plan', specs, allow, '--detailed-exitcode']);
  assert.equal(code, 2, stderr + stdout);
  assert.deepEqual(await seenAt(), before);
});

test('a store that cannot keep them fails no command, and it is said', async () => {
  edit(specs, 'network.yaml', 'env: test', 'env: prod');
  const broken = commandLine({
    database: {
      connect: () => {
        const mine = run.database.connect();
        const keep = async () => {
          throw new Error('the disk is full');
        };
        return { ...mine, rows: { ...mine.rows, keep } };
      },
    },
  });
  const { code, stderr } = await broken(['plan', specs, allow]);
  assert.equal(code, 0);
  assert.match(stderr, /was not saved in the inventory: the disk is full/);
});
