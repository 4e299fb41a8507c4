import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spec } from './entry.ts';

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
