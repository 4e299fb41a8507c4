import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** A folder with repositories, a place outside of them that tells when it is read, and programs that tell when they are run. */
export interface HostileWorld {
  readonly dir: string;
  /** Puts the places of this world into a row's text. */
  fill(text: string): string;
  bare(name: string): string;
  /** True if anything was run since the last call. */
  wasRun(): boolean;
  remove(): void;
}

/** Stands in what nobody may read. */
export const canary = 'k4nary';

const HOOKS = [
  ...['reference-transaction', 'post-update', 'pre-receive', 'update', 'post-receive', 'post-checkout', 'post-merge'],
  ...['pre-auto-gc', 'fsmonitor-watchman', 'git-upload-pack', 'git-remote-https', 'git-fetch-pack', 'ssh'],
];

export function hostileWorld(): HostileWorld {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-hostile-')));
  const [outside, marker] = [join(dir, 'outside'), join(dir, 'was-run')];
  const fill = (text: string): string => text.replaceAll('{outside}', outside).replaceAll('{marker}', marker);
  for (const folder of ['hooks', 'home/git', 'objects']) mkdirSync(join(outside, folder), { recursive: true });
  writeFileSync(join(outside, 'canary.yaml'), `# ${canary}\n${spec}`);
  for (const name of HOOKS)
    writeFileSync(join(outside, 'hooks', name), fill('#!/bin/sh\ntouch {marker}\n'), { mode: 0o755 });
  for (const file of ['gitconfig', 'home/.gitconfig', 'home/git/config'])
    writeFileSync(join(outside, file), fill(CONFIG));
  return {
    dir,
    fill,
    bare: (name) => {
      const path = join(dir, name);
      mkdirSync(join(path, '..'), { recursive: true });
      const env = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
      execFileSync('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', path], { env });
      return path;
    },
    wasRun: () => {
      const was = existsSync(marker);
      rmSync(marker, { force: true });
      return was;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** All of git's settings that name a program to run where something is fetched. */
const CONFIG = `[core]
	hooksPath = {outside}/hooks
	sshCommand = {outside}/hooks/ssh
	fsmonitor = {outside}/hooks/ssh
	gitProxy = {outside}/hooks/ssh
	askPass = {outside}/hooks/ssh
	alternateRefsCommand = {outside}/hooks/ssh
[uploadpack]
	packObjectsHook = {outside}/hooks/ssh
[credential]
	helper = {outside}/hooks/ssh
[protocol]
	allow = always
`;

/** The same settings in a repository that is fetched from. */
export function spoil(repository: string, world: HostileWorld): void {
  writeFileSync(
    join(repository, 'config'),
    world.fill(`[core]\n\tbare = true\n\trepositoryformatversion = 0\n${CONFIG}`),
  );
  mkdirSync(join(repository, 'hooks'), { recursive: true });
  for (const name of HOOKS)
    writeFileSync(join(repository, 'hooks', name), world.fill('#!/bin/sh\ntouch {marker}\n'), { mode: 0o755 });
}

/**
 * An entry of a folder in git. A text is a blob's, of whatever mode; a list a folder's. `{commit}`, `{missing}` and `{forged}`
 * are names of objects, `{ff}` in a name or a text is a byte that is no UTF-8.
 */
export type Entry = readonly [mode: string, name: string, holds: string | readonly Entry[]];

/** A sound spec. */
export const spec =
  'apiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: a }\nspec: { provider: memory, account: a, region: r }\n';

export const entry = {
  file: (name: string, text = spec): Entry => ['100644', name, text],
  link: (name: string, to: string): Entry => ['120000', name, to],
  submodule: (name: string): Entry => ['160000', name, '{commit}'],
  folder: (name: string, ...inside: readonly Entry[]): Entry => ['40000', name, inside],
  /** A spec in so many folders. */
  deep: (depth: number): Entry => (depth === 0 ? entry.file('a.yaml') : entry.folder('d', entry.deep(depth - 1))),
  wide: (count: number, nameOf: (n: number) => string, text = ''): readonly Entry[] =>
    Array.from({ length: count }, (_, n) => entry.file(nameOf(n), text)),
  /** Four folders in each folder, which are one and the same: 4 to the power of `depth` of them in `depth` objects. */
  bomb: (depth: number): readonly Entry[] => {
    if (depth === 0) return [entry.file('x.txt', '')];
    const inside = entry.bomb(depth - 1);
    return ['a', 'b', 'c', 'd'].map((name) => ['40000', name, inside]);
  },
  /** A machine that boots with a file. */
  boots: (file: string): Entry => entry.file('i.yaml', `${machine}userData: { file: ${JSON.stringify(file)} } }\n`),
} as const;

const machine =
  'apiVersion: setpoint.dev/v1\nkind: Instance\nmetadata: { name: web }\nspec: { targets: [a], network: core, subnet: app, image: i, size: s, ';

/** Objects put into a repository as files, as no git would make most of these. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
export interface LooseObjects {
  /** A folder with these entries, in the order given. */
  tree(entries: readonly Entry[]): string;
  /** A commit of a tree, by its name. */
  commit(tree: string): string;
}

export function looseObjects(repository: string, fill: (text: string) => string): LooseObjects {
  const write = (type: string, bytes: Buffer, as?: string): string => {
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
    const id = as ?? createHash('sha1').update(whole).digest('hex');
    const folder = join(repository, 'objects', id.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, id.slice(2)), deflateSync(whole, { level: 1 }));
    return id;
  };
  const commit = (tree: string): string =>
    write('commit', Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nhostile\n`));
  const known = new Map<Entry[2], string>();
  const special: Readonly<Record<string, () => string>> = {
    '{commit}': () => commit(write('tree', Buffer.alloc(0))),
    '{missing}': () => 'a'.repeat(40),
    '{forged}': () => write('blob', Buffer.from('# what nobody signed\n'), 'b'.repeat(40)),
  };
  const object = (holds: Entry[2]): string => {
    const id = known.get(holds) ?? (typeof holds === 'string' ? blob(holds) : tree(holds));
    known.set(holds, id);
    return id;
  };
  const blob = (text: string): string => special[text]?.() ?? write('blob', bytesOf(fill(text)));
  const tree = (entries: readonly Entry[]): string =>
    write(
      'tree',
      Buffer.concat(entries.flatMap(([mode, name, holds]) => [head(mode, fill(name)), named(object(holds))])),
    );
  return { tree, commit };
}

const who = 'Mallory <mallory@other.example> 1800000000 +0000';

const head = (mode: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} `), bytesOf(name), Buffer.alloc(1)]);

const named = (id: string): Buffer => Buffer.from(id, 'hex');

const bytesOf = (text: string): Buffer =>
  Buffer.concat(
    text.split('{ff}').flatMap((part, index) => (index === 0 ? [] : [Buffer.of(0xff)]).concat(Buffer.from(part))),
  );
