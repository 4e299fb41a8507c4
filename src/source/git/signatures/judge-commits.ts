import { gpgJudge } from './judge-gpg.ts';
import { sshJudge } from './judge-ssh.ts';
import { inOwnFolder, type Place } from './place.ts';
import { type Mirror, readCommits } from './read-commits.ts';
import { type Refusal, refused, shown } from './refusal.ts';
import type { SignedCommit } from './signed-commit.ts';
import type { Signer } from './signer.ts';
import type { Vouched } from './vouching.ts';

export interface JudgeOptions {
  /** YYYY-MM-DD: by it the signers' ends are judged. GPG judges the ends that are in its keys by the machine's clock. */
  readonly today: string;
  /** Where git, gpg and ssh-keygen are looked for; absent: as the process does. */
  readonly path?: string;
}

/** All hold, with the signer of each in the order given; or the first that does not. */
export type Judgement =
  | { readonly ok: true; readonly signers: readonly string[] }
  | (Refusal & { readonly commit: string });

/** Commits read by one process of git, and processes of gpg and ssh-keygen at a time. */
const READ_AT_ONCE = 50;
const JUDGED_AT_ONCE = 4;

/**
 * Whether each of these commits, oldest first and by their full names, is signed by one of the signers. `repository`: a
 * bare mirror. For all that came since what is in force give every commit, also those that a merge brings
 * (`git rev-list --reverse <in force>..<head>`): a signature speaks for one commit and for none before it.
 * Never rejects for what a commit or a key holds. Costs a process a commit, of about 5 ms.
 */
export function judgeCommits(
  repository: string,
  commits: readonly string[],
  signers: readonly Signer[],
  { today, path = process.env['PATH'] ?? '/usr/bin:/bin' }: JudgeOptions,
): Promise<Judgement> {
  return inOwnFolder(async (folder) => {
    const judge = judgeOf(signers, { folder, path, today });
    const names: string[] = [];
    for await (const [commit, verdict] of verdictsOf(commits, judge, { repository, folder, path })) {
      if (!verdict.ok) return { ...verdict, commit, why: `commit ${shown(commit.slice(0, 12))}: ${verdict.why}` };
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
): Promise<Vouched | Refusal> {
  const judgement = await judgeCommits(repository, [commit], signers, options);
  if (!judgement.ok) return { ok: false, code: judgement.code, why: judgement.why };
  const [signer = ''] = judgement.signers;
  return { ok: true, signer };
}

type Judge = (commit: SignedCommit | Refusal) => Promise<Vouched | Refusal>;

function judgeOf(signers: readonly Signer[], place: Place): Judge {
  const judges = { ssh: sshJudge(signers, place), gpg: gpgJudge(signers, place) };
  return async (commit) => (commit.ok ? judges[commit.kind](commit) : commit);
}

/** In the order given, and no further than somebody asks. */
async function* verdictsOf(
  commits: readonly string[],
  judge: Judge,
  mirror: Mirror,
): AsyncGenerator<readonly [commit: string, verdict: Vouched | Refusal]> {
  for (const ids of chunksOf(commits, READ_AT_ONCE)) {
    const read = await readCommits(ids, mirror);
    const named = ids.map((id, index) => ({ id, commit: read[index] ?? refused('no-commit', 'it was not read') }));
    for (const few of chunksOf(named, JUDGED_AT_ONCE))
      yield* await Promise.all(few.map(async ({ id, commit }) => [id, await judge(commit)] as const));
  }
}

const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
