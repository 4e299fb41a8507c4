import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const { specs } = await sandboxed();
const run = commandLine();
const store = run.database.connect();
const source = 'https://git.example/infra.git';
const [old, head] = ['a'.repeat(40), 'b'.repeat(40)];

/** As a worker does that follows a repository. */
async function follows(commit: string): Promise<void> {
  const current = (await store.generations.current('acme')) ?? assert.fail('no generation');
  const kept = (await store.fleet.specSnapshots.read('acme', current.revision)) ?? assert.fail('no tree');
  await store.fleet.specSnapshots.keep('acme', `git:${commit}`, kept);
  await store.generations.accept('acme', `git:${commit}`, current.guards);
  await store.sources.states.record('acme', { source, head: `git:${commit}`, state: 'followed', why: '' });
}

const revision = async (): Promise<string | undefined> => (await store.generations.current('acme'))?.revision;

test('the specs in force are there without a folder, in every verb', async () => {
  assert.equal((await run(['apply', specs, '--allow-endpoint', '--yes'])).code, 0);
  await follows(old);
  edit(specs, 'web.sh', '\n', '\n# changed here\n');
  const active = await run(['plan', 'nowhere', '--active', '--allow-endpoint', '--json']);
  assert.equal(active.code, 0, active.stderr);
  assert.equal(JSON.parse(active.stdout).revision, `git:${old}`);
  assert.match(
    (await run(['status', '--active'])).stdout,
    /^Status: acme · generation 2 \(commit aaaaaaa\) · no worker follows the specs\n/,
  );
  const other = await run(['status', '--active-of', 'nobody']);
  assert.match(other.stderr, /There is no estate nobody\.\n {2}next: {2}Name one: --active-of acme/);
});

test('a source that is not followed is told by every answer, and nothing of one that is', async () => {
  const looks = [['plan'], ['drift'], ['inventory'], ['explain', 'web-0'], ['ledger']];
  const said = (verb: readonly string[]) =>
    run([...verb, '--active', ...(verb[0] === 'ledger' ? [] : ['--allow-endpoint'])]);
  for (const verb of looks) assert.doesNotMatch((await said(verb)).stderr, /git\.example/, verb[0]);
  const why = 'specs/web.yaml:3:1: unknown key';
  await store.sources.states.record('acme', { source, head: `git:${head}`, state: 'broken', why });
  for (const verb of looks)
    assert.match(
      (await said(verb)).stderr,
      /^! https:\/\/git\.example\/infra\.git is not valid at commit bbbbbbb, for .*s: specs\/web\.yaml:3:1: unknown key$/m,
      verb[0],
    );
  for (const verb of looks) {
    const [told] = JSON.parse((await said([...verb, '--json'])).stdout).sources ?? [];
    assert.deepEqual([told?.state, told?.reason], ['broken', why], verb[0]);
  }
  assert.match((await run(['status', '--active'])).stdout, /\nSpecs from\n {2}https:.* is not valid at commit bbbbbbb/);
});

test('specs of a folder do not come into force beside a repository that a worker follows', async () => {
  const held = await store.leases.acquire('acme', 'specs', 'worker-1@host');
  for (const verb of [['apply'], ['approve', '--reason', 'x']]) {
    const { code, stderr } = await run([...verb, specs, '--allow-endpoint', '--yes']);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /acme follows https:\/\/git\.example\/infra\.git, and these specs are not active/);
    assert.match(stderr, /worker-1@host makes its generations\. Active: commit aaaaaaa\. Here: folder /);
  }
  assert.equal(await revision(), `git:${old}`);
  const same = await run(['apply', '--active', '--allow-endpoint', '--yes']);
  assert.equal(same.code, 0, same.stderr);
  edit(specs, 'web.sh', '\n# changed here\n', '\n');
  const before = (await store.generations.current('acme'))?.number;
  const checkout = await run(['apply', specs, '--allow-endpoint', '--yes']);
  assert.equal(checkout.code, 0, checkout.stderr);
  const offer = await run(['approve', specs, '--reason', 'x', '--allow-endpoint', '--yes']);
  assert.equal(offer.code, 0, offer.stderr);
  assert.doesNotMatch(`${offer.stdout}${(await run(['status', specs])).stdout}`, /not active/);
  const { revision: planned } = JSON.parse((await run(['plan', specs, '--allow-endpoint', '--json'])).stdout);
  const { number } = (await store.generations.current('acme')) ?? {};
  assert.deepEqual([planned, await revision(), number], [`git:${old}`, `git:${old}`, before]);
  edit(specs, 'web.sh', '\n', '\n# changed here\n');
  if (held.ok) await held.lease.release();
});

test('a rollback brings the old commit into force and holds it there until unpin', async () => {
  await follows(head);
  const wordless = await run(['apply', '--commit', old.slice(0, 8), '--allow-endpoint', '--yes']);
  assert.match(wordless.stderr, /A rollback to a commit needs a reason/);
  const back = ['apply', '--commit', 'aaaaaaaa', '--reason', '#815', '--allow-endpoint'];
  const unasked = await run(back);
  assert.equal(unasked.code, 1);
  assert.match(
    unasked.stderr,
    /Change nothing on the clouds of acme, and pin it at commit aaaaaaaa until `setpoint unpin`\?/,
  );
  assert.equal(await store.sources.pins.current('acme'), undefined);
  const { code, stdout, stderr } = await run([...back, '--yes']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Applied: .*\n {2}Pinned: no other specs become active until: setpoint unpin/);
  assert.equal(await revision(), `git:${old}`);
  assert.equal((await store.generations.current('acme'))?.number, 4);
  const status = await run(['status', '--active']);
  assert.match(
    status.stdout,
    /^Status: acme · generation 4 \(commit aaaaaaa\) · Pinned · no worker follows the specs\n/,
  );
  assert.match(status.stdout, /\nPinned\n {2}at commit aaaaaaa since .*: #815\n {4}setpoint unpin --reason "…"\n/);
  const other = await run(['apply', specs, '--allow-endpoint', '--yes']);
  assert.equal(other.code, 3);
  assert.match(other.stderr, /acme is pinned at commit aaaaaaa/);
  const before = await store.sources.wakeUps.count('acme');
  const unpinned = await run(['unpin', '--active', '--reason', 'reverted']);
  assert.match(unpinned.stdout, /^Unpinned: acme was pinned at commit aaaaaaa since /);
  assert.equal(await store.sources.wakeUps.count('acme'), before + 1);
  const words = (await run(['ledger'])).stdout;
  for (const word of [/ pin at commit aaaaaaa by \S+: #815\n/, / unpin at commit aaaaaaa by \S+: reverted\n/])
    assert.match(words, word);
  assert.match((await run(['unpin', '--active', '--reason', 'again'])).stdout, /^Unpinned: nothing/);
});

test('a commit that was never in force here is refused, with what to do', async () => {
  const go = (commit: string) => run(['apply', '--commit', commit, '--reason', 'x', '--allow-endpoint', '--yes']);
  const { stderr } = await go('c0ffee1');
  assert.match(stderr, /No specs of commit c0ffee1 were ever active here\./);
  assert.match(stderr, /or name one of these:\n {9}generation 4: commit aaaaaaa\n {9}generation 3: commit bbbbbbb\n/);
  assert.match((await go('main')).stderr, /"main" is not a commit\./);
});

test('a rewritten history is taken on by its head, in the ledger', async () => {
  await store.sources.states.record('acme', { source, head: `git:${head}`, state: 'rewritten', why: 'no ancestor' });
  const wrong = await run(['approve', '--active', '--history', 'c0ffee1', '--reason', 'x']);
  assert.match(
    wrong.stderr,
    /No rewritten history with the head "c0ffee1" waits for approval\.\n.*--history bbbbbbbbbbbb/s,
  );
  const { code, stdout, stderr } = await run(['approve', '--active', '--history', 'bbbbbbb', '--reason', 'purged']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Approved: the history of https:.* up to commit bbbbbbb/);
  const after = (await store.generations.current('acme'))?.revision ?? '';
  assert.equal(await store.sources.histories.isAccepted('acme', { head: `git:${head}`, after }), true);
});
