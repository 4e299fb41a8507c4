import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { runProgram } from './program.ts';
import { type Refusal, refused } from './refusal.ts';
import { readSignedCommit, type SignedCommit } from './signed-commit.ts';

/** A mirror, and what git is run with. */
export interface Mirror {
  readonly repository: string;
  readonly folder: string;
  readonly path: string;
}

/** Commits of a mirror by their full names, in the order asked for, by one process. */
export async function readCommits(
  ids: readonly string[],
  { repository, folder, path }: Mirror,
): Promise<readonly (SignedCommit | Refusal)[]> {
  const isName = (id: string): boolean => /^[0-9a-f]{40}$/.test(id);
  const input = ids.filter(isName).map((id) => `${id}\n`);
  const args = [`--git-dir=${resolve(repository)}`, '--no-replace-objects', 'cat-file', '--batch'];
  const ran = await runProgram('git', { args, input: input.join(''), folder, path });
  if (!ran.ok) return ids.map(() => ran);
  const objects = objectsOf(ran.output);
  return ids.map((id) => (isName(id) ? commitOf(id, objects.get(id)) : refused('no-commit', 'this is no full name')));
}

interface GitObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** By name. What is cut at the end of the output is left out. */
function objectsOf(output: Buffer): ReadonlyMap<string, GitObject> {
  const objects = new Map<string, GitObject>();
  let at = 0;
  for (;;) {
    const end = output.indexOf('\n', at);
    if (end < 0) return objects;
    const [id = '', type = '', size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    // "<id> missing": no bytes follow
    if (size === undefined) continue;
    const after = at + Number(size);
    if (after >= output.length) return objects;
    objects.set(id, { type, bytes: output.subarray(at, after) });
    at = after + 1;
  }
}

function commitOf(id: string, object: GitObject | undefined): SignedCommit | Refusal {
  if (object === undefined) return refused('no-commit', 'the mirror does not hold it, or it is too large to be read');
  if (object.type !== 'commit') return refused('no-commit', `it is a ${object.type}`);
  const head = `commit ${object.bytes.length}\0`;
  // git does not look whether a loose object is what its name says: https://git-scm.com/docs/git-fsck
  if (createHash('sha1').update(head).update(object.bytes).digest('hex') !== id)
    return refused('odd-commit', 'its bytes are not those that its name stands for');
  return readSignedCommit(object.bytes);
}
