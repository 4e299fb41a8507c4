import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProgramResult, runProgram, type SignatureWorkspace } from './program.ts';
import type { SignedCommit } from './signed-commit.ts';
import { type Authorized, authorizeKey, refused, type SignatureRefusal, type Signer } from './signers.ts';

/** Judges commits that GPG keys signed, by a keyring of the signers' keys alone, made when the first one comes. */
export function gpgVerifier(signers: readonly Signer[], place: SignatureWorkspace) {
  let ring: Promise<Keyring | SignatureRefusal> | undefined;
  return async (commit: SignedCommit): Promise<Authorized | SignatureRefusal> => {
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
    return authorizeKey({
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
async function keyringOf(signers: readonly Signer[], place: SignatureWorkspace): Promise<Keyring | SignatureRefusal> {
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
  { folder, path }: SignatureWorkspace,
  { args, input }: { readonly args: readonly string[]; readonly input: string | Buffer },
): Promise<ProgramResult | SignatureRefusal> =>
  runProgram('gpg', { args: ['--homedir', home, ...OPTIONS, ...args], input, folder, path });

/** A signature that gpg holds good, by one key. */
interface GpgSignature {
  readonly ok: true;
  /** Of the primary key, whichever of its subkeys signed. */
  readonly fingerprint: string;
}

/** SHA-256, 384, 512: https://www.rfc-editor.org/rfc/rfc9580#section-9.5 */
const DIGESTS = ['8', '9', '10'];
/** A signature over a binary document; others are over keys or text: https://www.rfc-editor.org/rfc/rfc9580#section-5.2.1 */
const OVER_BYTES = '00';

/**
 * Reads what `gpg --status-fd` says of one signature: https://github.com/gpg/gnupg/blob/master/doc/DETAILS
 * It is good only where gpg speaks of one signature, calls it good and valid, and nothing worse.
 */
export function readGpgStatus(output: string): GpgSignature | SignatureRefusal {
  const lines = output.split('\n').flatMap((line) => {
    const [mark, keyword = '', ...values] = line.split(' ');
    return mark === '[GNUPG:]' ? [{ keyword, values }] : [];
  });
  const of = (keyword: string) => lines.filter((line) => line.keyword === keyword);
  if (of('NEWSIG').length !== 1 || of('PLAINTEXT').length > 0)
    return refused('odd-signature', 'it must have exactly one GPG signature, separate from the signed text');
  const [unchecked] = of('ERRSIG');
  const [valid] = of('VALIDSIG');
  const digest = (unchecked?.values[2] ?? valid?.values[7]) || '8';
  if (!DIGESTS.includes(digest)) return refused('weak-digest', `its GPG signature is over digest ${digest} of OpenPGP`);
  const [by = ''] = (of('NO_PUBKEY')[0] ?? unchecked)?.values ?? [];
  if (of('NO_PUBKEY').length > 0) return refused('unknown-key', `it is signed by GPG key ${by}, which no signer has`);
  for (const [keyword, code, what] of WORSE) if (of(keyword).length > 0) return refused(code, what);
  const fingerprint = valid?.values[9];
  if (of('GOODSIG').length !== 1 || of('VALIDSIG').length !== 1 || fingerprint === undefined)
    return refused('bad-signature', 'its GPG signature does not hold');
  if (valid?.values[8] !== OVER_BYTES) return refused('odd-signature', 'its GPG signature is not one over a commit');
  return { ok: true, fingerprint };
}

const WORSE = [
  ['BADSIG', 'bad-signature', 'its GPG signature does not hold'],
  ['ERRSIG', 'bad-signature', 'its GPG signature cannot be checked'],
  ['REVKEYSIG', 'revoked', 'the GPG key that signed it was revoked by its owner'],
  ['EXPKEYSIG', 'expired', 'the GPG key that signed it has expired'],
  ['EXPSIG', 'expired', 'its GPG signature has expired'],
] as const;
