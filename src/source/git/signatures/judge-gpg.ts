import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readGpgStatus } from './gpg-status.ts';
import type { Place } from './place.ts';
import { type Ran, runProgram } from './program.ts';
import { type Refusal, refused } from './refusal.ts';
import type { SignedCommit } from './signed-commit.ts';
import type { Signer } from './signer.ts';
import { type Vouched, vouching } from './vouching.ts';

/** Judges commits that GPG keys signed, by a keyring of the signers' keys alone, made when the first one comes. */
export function gpgJudge(signers: readonly Signer[], place: Place) {
  let ring: Promise<Keyring | Refusal> | undefined;
  return async (commit: SignedCommit): Promise<Vouched | Refusal> => {
    ring ??= keyringOf(signers, place);
    const keyring = await ring;
    if (!keyring.ok) return keyring;
    const file = join(place.folder, `${randomUUID()}.asc`);
    await writeFile(file, commit.signature);
    const ran = await gpg(keyring.home, place, { args: ['--verify', file, '-'], input: commit.payload });
    if (!ran.ok) return ran;
    const signature = readGpgStatus(ran.output.toString('latin1'));
    if (!signature.ok) return signature;
    if (ran.exit !== 0) return refused('bad-signature', 'its GPG signature does not hold');
    return vouching({
      key: `GPG key ${signature.fingerprint}`,
      listings: keyring.holders.get(signature.fingerprint) ?? [],
      committer: commit.committer,
      today: place.today,
    });
  };
}

/** `holders`: by the fingerprint of a primary key, whose block it came in. */
interface Keyring {
  readonly ok: true;
  readonly home: string;
  readonly holders: ReadonlyMap<string, readonly Signer[]>;
}

/** A block that gpg does not take as a key is nobody's key. */
async function keyringOf(signers: readonly Signer[], place: Place): Promise<Keyring | Refusal> {
  const home = join(place.folder, 'gnupg');
  await mkdir(home, { mode: 0o700 });
  const holders = new Map<string, Signer[]>();
  for (const signer of signers) {
    if (signer.gpg === undefined) continue;
    const ran = await gpg(home, place, { args: ['--import'], input: signer.gpg });
    if (!ran.ok) return ran;
    for (const [, fingerprint = ''] of ran.output.toString('latin1').matchAll(/^\[GNUPG:\] IMPORT_OK \d+ (\w+)$/gm))
      holders.set(fingerprint, [...(holders.get(fingerprint) ?? []), signer]);
  }
  return { ok: true, home, holders };
}

/** Without settings, agents, daemons and networks: nothing of it is left running. */
const ALONE = ['--no-options', '--no-autostart', '--disable-dirmngr', '--no-auto-key-retrieve', '--no-auto-key-import'];
const OPTIONS = [...ALONE, '--batch', '--no-tty', '--trust-model', 'always', '--status-fd', '1'];

const gpg = (
  home: string,
  { folder, path }: Place,
  { args, input }: { readonly args: readonly string[]; readonly input: string | Buffer },
): Promise<Ran | Refusal> => runProgram('gpg', { args: ['--homedir', home, ...OPTIONS, ...args], input, folder, path });
