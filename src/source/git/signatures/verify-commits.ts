import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { gpgVerifier } from './gpg.ts';
import { runProgram, type SignatureWorkspace, withPrivateFolder } from './program.ts';
import { readSignedCommit, type SignedCommit } from './signed-commit.ts';
import { type Authorized, printable, refused, type SignatureRefusal, type Signer } from './signers.ts';
import { sshVerifier } from './ssh.ts';

interface JudgeOptions {
  /** YYYY-MM-DD: by it the signers' ends are judged. GPG judges the ends that are in its keys by the machine's clock. */
  readonly today: string;
  /** The folders to search for git, gpg and ssh-keygen; absent: those of the process. */
  readonly path?: string;
}

/** All hold, with the signer of each in the order given; or the first that does not. */
type Judgement =
  | { readonly ok: true; readonly signers: readonly string[] }
  | (SignatureRefusal & { readonly commit: string });

/** Commits read by one process of git, and processes of gpg and ssh-keygen at a time. */
const READ_AT_ONCE = 50;
const JUDGED_AT_ONCE = 4;

/**
 * Checks that each of these commits, oldest first and by their full names, is signed by one of the signers. `repository`: a
 * bare mirror. For all changes since the active revision give every commit, also those that a merge brings
 * (`git rev-list --reverse <in force>..<head>`): a signature speaks for one commit and for none before it.
 * Never rejects for the content of a commit or a key. Costs a process a commit, of about 5 ms.
 */
export function verifyCommits(
  repository: string,
  commits: readonly string[],
  signers: readonly Signer[],
  { today, path = process.env['PATH'] ?? '/usr/bin:/bin' }: JudgeOptions,
): Promise<Judgement> {
  return withPrivateFolder(async (folder) => {
    const judge = judgeOf(signers, { folder, path, today });
    const names: string[] = [];
    for await (const [commit, verdict] of verdictsOf(commits, judge, { repository, folder, path })) {
      if (!verdict.ok) return { ...verdict, commit, why: `commit ${printable(commit.slice(0, 12))}: ${verdict.why}` };
      names.push(verdict.signer);
    }
    return { ok: true, signers: names };
  });
}

/** The same of one commit. */
export async function signatureOf(
  repository: string,
  commit: string,
  signers: readonly Signer[],
  options: JudgeOptions,
): Promise<Authorized | SignatureRefusal> {
  const judgement = await verifyCommits(repository, [commit], signers, options);
  if (!judgement.ok) return { ok: false, code: judgement.code, why: judgement.why };
  const [signer = ''] = judgement.signers;
  return { ok: true, signer };
}

type Judge = (commit: SignedCommit | SignatureRefusal) => Promise<Authorized | SignatureRefusal>;

function judgeOf(signers: readonly Signer[], place: SignatureWorkspace): Judge {
  const judges = { ssh: sshVerifier(signers, place), gpg: gpgVerifier(signers, place) };
  return async (commit) => (commit.ok ? judges[commit.kind](commit) : commit);
}

/** In the order given, and no further than somebody asks. */
async function* verdictsOf(
  commits: readonly string[],
  judge: Judge,
  mirror: Mirror,
): AsyncGenerator<readonly [commit: string, verdict: Authorized | SignatureRefusal]> {
  for (const ids of chunksOf(commits, READ_AT_ONCE)) {
    const read = await readCommits(ids, mirror);
    const named = ids.map((id, index) => ({ id, commit: read[index] ?? refused('no-commit', 'it was not read') }));
    for (const few of chunksOf(named, JUDGED_AT_ONCE))
      yield* await Promise.all(few.map(async ({ id, commit }) => [id, await judge(commit)] as const));
  }
}

const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

/** A mirror, and what git is run with. */
interface Mirror {
  readonly repository: string;
  readonly folder: string;
  readonly path: string;
}

/** Commits of a mirror by their full names, in the order asked for, by one process. */
async function readCommits(
  ids: readonly string[],
  { repository, folder, path }: Mirror,
): Promise<readonly (SignedCommit | SignatureRefusal)[]> {
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

function commitOf(id: string, object: GitObject | undefined): SignedCommit | SignatureRefusal {
  if (object === undefined) return refused('no-commit', 'the mirror does not hold it, or it is too large to be read');
  if (object.type !== 'commit') return refused('no-commit', `it is a ${object.type}`);
  const head = `commit ${object.bytes.length}\0`;
  // git does not check that a loose object matches its name: https://git-scm.com/docs/git-fsck
  if (createHash('sha1').update(head).update(object.bytes).digest('hex') !== id)
    return refused('odd-commit', 'its bytes are not those that its name stands for');
  return readSignedCommit(object.bytes);
}
