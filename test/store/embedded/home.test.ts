import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Account, binaries, packagedBinaries, run } from '../../../src/store/embedded/cluster.ts';
import { lookUp } from '../../../src/store/embedded/embedded.ts';
import { ownFolder } from '../../../src/store/embedded/home.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { signingKey } from '../../../src/store/signing.ts';
import { gitPerson } from '../../support/git-person.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { removeFolder, temporaryFolder } from '../temporary-folder.ts';

const folder = await temporaryFolder();
const isRoot = process.getuid?.() === 0;
const account: Account = isRoot ? await lookUp(run) : undefined;
const gone: string[] = [folder];
after(async () => {
  for (const path of gone) await removeFolder(path);
});

const links = async (native: string): Promise<readonly { readonly target: string }[]> =>
  JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));

/** The package as it is after an install without scripts: no links, and no program may be executed. */
async function bare(at: string): Promise<string> {
  const native = join(at, 'native');
  await cp(packagedBinaries(), native, { recursive: true, verbatimSymlinks: true });
  for (const { target } of await links(native)) await rm(join(at, target), { force: true });
  for (const name of ['initdb', 'pg_ctl', 'postgres']) await chmod(join(native, 'bin', name), 0o644);
  return native;
}

test('a folder that cannot be made: the error says why, and what to do', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await assert.rejects(
    openStore({ folder: join(file, '.setpoint'), clock: virtualClock(), create: true }),
    /file\/\.setpoint, where the store .* cannot be made: a file is in its way\. Name another folder with --dir/,
  );
});

test('git ignores the folder and its keys, and a file of the user stays', async () => {
  const repository = await made('repository', 0o755);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: repository, env: gitPerson }).toString();
  git('init', '--quiet');
  const [inside, keys] = [join(repository, '.setpoint'), join(repository, 'other/.setpoint/keys')];
  await ownFolder(inside);
  await writeFile(join(inside, 'secret'), '');
  await signingKey(keys);
  git('add', '-A');
  assert.equal(git('status', '--porcelain'), '');
  await writeFile(join(inside, '.gitignore'), '!*.pub\n');
  await ownFolder(inside);
  assert.equal(await readFile(join(inside, '.gitignore'), 'utf8'), '!*.pub\n');
});

test('git goes on to see a folder of the user that is given for keys or for the store', async () => {
  const own = await made('own', 0o755);
  await signingKey(join(own, 'keys'));
  await ownFolder(own);
  assert.deepEqual(await readdir(own), ['keys']);
  const [fresh, nested, named] = [join(own, 'fresh'), join(own, 'nested/keys'), join(own, '.setpoint')];
  await ownFolder(fresh);
  await signingKey(nested);
  await mkdir(named);
  await signingKey(join(named, 'keys'));
  for (const folder of [fresh, join(own, 'nested'), named])
    assert.equal(await readFile(join(folder, '.gitignore'), 'utf8'), '*\n', folder);
});

test('binaries: what a blocked install script left out is made in place', async () => {
  const packaged = await bare(await made('blocked', 0o755));
  const said: string[] = [];
  const found = await binaries({ packaged, home: folder, account, onProgress: (message) => said.push(message) });
  assert.equal(found, packaged);
  assert.deepEqual(said, []);
  for (const { target } of await links(packaged))
    assert.ok((await lstat(join(packaged, '..', target))).isSymbolicLink(), target);
});

test('binaries: those that the account cannot reach are copied, once', { skip: !isRoot }, async () => {
  const packaged = await bare(await made('unreachable', 0o700));
  const home = await made('home', 0o711);
  const said: string[] = [];
  const place = { packaged, home, account, onProgress: (message: string) => said.push(message) };
  assert.equal(await binaries(place), join(home, 'native'));
  assert.deepEqual(said, [`copying PostgreSQL to ${join(home, 'native')}`]);
  const { ino } = await stat(join(home, 'native/bin/postgres'));
  assert.equal(await binaries(place), join(home, 'native'));
  assert.equal((await stat(join(home, 'native/bin/postgres'))).ino, ino);
  assert.equal((await stat(join(home, 'native/bin/postgres'))).mode & 0o022, 0);
});

test('home: where the folder is closed to the server’s account, the data goes where it can', {
  skip: !isRoot,
}, async () => {
  const closed = await made('closed', 0o700);
  const said: string[] = [];
  const open = () =>
    openStore({ folder: closed, clock: virtualClock(), create: true, onProgress: (m) => said.push(m) });
  const store = await open();
  const home = (await readFile(join(closed, '.setpoint/home'), 'utf8')).trim();
  gone.push(home);
  assert.match(home, /^\/var\/tmp\/setpoint-[0-9a-f]{12}-/);
  assert.match(said.join('\n'), /the database lies in \/var\/tmp\/.*cannot reach/);
  assert.equal(await store.ledger.note('acme', {}), 1);
  await store.close();
  assert.deepEqual([(await stat(home)).mode & 0o777, (await stat(join(home, 'data'))).mode & 0o777], [0o711, 0o700]);
  const again = await open();
  assert.equal(await again.ledger.note('acme', {}), 2);
  await again.close();

  await chmod(home, 0o733);
  await assert.rejects(open(), /is not trusted/);
  await chmod(home, 0o711);
  await rename(home, `${home}.away`);
  await symlink(`${home}.away`, home);
  await assert.rejects(open(), /is not trusted/);
  await rm(home);
  await assert.rejects(open(), /is gone.*takeover/);
  await rename(`${home}.away`, home);
});

async function made(name: string, mode: number): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { mode });
  return path;
}
