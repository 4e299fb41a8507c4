import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStored } from '../../src/source/stored-tree.ts';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const run = commandLine();
const { specs } = await sandboxed();
const store = run.database.connect();

test('where nothing was in force yet, it is said what brings specs into force', async () => {
  const { code, stderr } = await commandLine({ database: run.database })(['status', '--active']);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /There are 0 estates in this store\.\n {2}next: {2}Apply some specs, or run a worker .*read its log/,
  );
});

/** Each makes a generation: the specs have changed before it. */
for (const [i, args] of [
  ['apply', specs, '--allow-endpoint', '--yes'],
  ['forget', 'web-0', '--specs', specs, '--although-wanted', '--yes'],
].entries())
  test(`${args[0]} keeps the specs with the generation that it accepts: a worker needs no folder`, async () => {
    edit(specs, 'web.sh', '\n', `\n# ${args[0]}\n`);
    const { code, stderr } = await run(args);
    assert.equal(code, 0, stderr);
    const newest = (await store.generations.current('acme')) ?? assert.fail('no generation');
    assert.equal(newest.number, i + 1);
    const kept = (await store.fleet.specSnapshots.read('acme', newest.revision)) ?? assert.fail('no tree');
    const tree = parseStored(kept, newest.revision, '2027-01-31');
    assert.deepEqual(tree.problems, []);
    assert.match(tree.userData.get('web.sh')?.bytes.toString() ?? '', new RegExp(`# ${args[0]}\n`));
  });
