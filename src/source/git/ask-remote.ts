import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bounds } from './bounds.ts';
import { gitFailure, type Inside } from './inside.ts';
import { runGit } from './run-git.ts';

/**
 * Where these refs, named in full, are on the server now. Runs without the mirror, so that a torn one is not taken for a
 * server that is away, and in no other repository, whose configuration git would read.
 */
export async function askRemote(
  inside: Inside,
  refs: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { url, mirror } = inside;
  const cwd = dirname(mirror.folder);
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  const args = [
    `--git-dir=${join(mirror.folder, 'nowhere')}`,
    'ls-remote',
    '--quiet',
    '--end-of-options',
    url.url,
    ...refs,
  ];
  const end = await runGit({ args, env: mirror.env, cwd, bounds: bounds.ask(signal) });
  signal?.throwIfAborted();
  if (end.code !== 0) throw gitFailure(inside, 'away', `ask for ${refs.join(' and ')}`, end);
  const lines = end.stdout.toString('utf8').split('\n');
  const found = lines.flatMap((line) => {
    const [id = '', ref = ''] = line.split('\t');
    // why: git answers with all whose names end so
    return refs.includes(ref) && /^[0-9a-f]{40}$/.test(id) ? [[ref, id] as const] : [];
  });
  return new Map(found);
}
