import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { runProgram } from './program.ts';
import { type Refusal, refused } from './refusal.ts';
import type { SignedCommit } from './signed-commit.ts';
import type { Signer } from './signer.ts';
import { fingerprint, readSshKey, readSshSignature } from './ssh-signature.ts';
import { type Vouched, vouching } from './vouching.ts';

/** Judges commits that SSH keys signed. The signature itself is put to ssh-keygen, with that one key allowed. */
export function sshJudge(signers: readonly Signer[], place: Place) {
  const listed = signers.flatMap((signer) => {
    const key = signer.ssh === undefined ? undefined : readSshKey(signer.ssh);
    return key === undefined ? [] : [{ signer, ...key }];
  });
  return async (commit: SignedCommit): Promise<Vouched | Refusal> => {
    const signature = readSshSignature(commit.signature);
    if (!signature.ok) return signature;
    const mine = listed.filter(({ key }) => key === signature.key);
    const vouched = vouching({
      key: `SSH key ${fingerprint(signature.key)}`,
      listings: mine.map(({ signer }) => signer),
      committer: commit.committer,
      today: place.today,
    });
    const [own] = mine;
    if (!vouched.ok || own === undefined) return vouched;
    return (await verify(commit, `${own.type} ${own.key}`, place)) ?? vouched;
  };
}

/** Undefined: it holds. */
async function verify(commit: SignedCommit, key: string, { folder, path }: Place): Promise<Refusal | undefined> {
  const file = join(folder, randomUUID());
  const [allowed, signature] = [`${file}.allowed`, `${file}.sig`];
  // why: the name is ours, as one from a document could be a pattern
  await writeFile(allowed, `signer namespaces="git" ${key}\n`);
  await writeFile(signature, commit.signature);
  const args = ['-Y', 'verify', '-f', allowed, '-I', 'signer', '-n', 'git', '-s', signature];
  const ran = await runProgram('ssh-keygen', { args, input: commit.payload, folder, path });
  if (!ran.ok) return ran;
  if (ran.exit === 0 && ran.output.toString('latin1').startsWith('Good "git" signature for signer with '))
    return undefined;
  if (ran.complaint.includes('No user exists for uid'))
    return refused('no-program', 'ssh-keygen runs only for a user whom /etc/passwd names: run as one');
  return refused('bad-signature', 'its SSH signature does not hold');
}
