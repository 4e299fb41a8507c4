import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram, type SignatureWorkspace } from './program.ts';
import type { SignedCommit } from './signed-commit.ts';
import { type Authorized, authorizeKey, printable, refused, type SignatureRefusal, type Signer } from './signers.ts';

/** Judges commits that SSH keys signed. The signature itself is put to ssh-keygen, with that one key allowed. */
export function sshVerifier(signers: readonly Signer[], place: SignatureWorkspace) {
  const listed = signers.flatMap((signer) => {
    const key = signer.ssh === undefined ? undefined : readSshKey(signer.ssh);
    return key === undefined ? [] : [{ signer, ...key }];
  });
  return async (commit: SignedCommit): Promise<Authorized | SignatureRefusal> => {
    const signature = readSshSignature(commit.signature);
    if (!signature.ok) return signature;
    const mine = listed.filter(({ key }) => key === signature.key);
    const vouched = authorizeKey({
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
async function verify(
  commit: SignedCommit,
  key: string,
  { folder, path }: SignatureWorkspace,
): Promise<SignatureRefusal | undefined> {
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

/** The fields of an SSH signature: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig */
interface SshSignature {
  readonly ok: true;
  /** The public key, in base64 as `authorized_keys` has it. */
  readonly key: string;
}

/** As git signs; a key that signs mails or packages too does not sign commits by that. */
const NAMESPACE = 'git';
const DIGESTS = ['sha256', 'sha512'];
/** RSA over SHA-1: https://www.openssh.com/txt/release-8.8 */
const WEAK_ALGORITHM = 'ssh-rsa';

/** The key that it names, or the reason that it may not count. Only ssh-keygen verifies it. */
export function readSshSignature(armour: string): SshSignature | SignatureRefusal {
  const blob = Buffer.from(armour.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
  const [key, namespace, , digest, signature, ...more] = fieldsOf(blob) ?? [];
  if (key === undefined || digest === undefined || signature === undefined || more.length > 0)
    return refused('odd-signature', 'its SSH signature is not in the form that OpenSSH writes');
  if (namespace?.toString('latin1') !== NAMESPACE)
    return refused('other-namespace', `it is signed for "${printable(String(namespace))}", not as a commit`);
  const algorithm = stringsOf(signature)?.[0]?.toString('latin1');
  if (!DIGESTS.includes(digest.toString('latin1')) || algorithm === WEAK_ALGORITHM)
    return refused('weak-digest', `its SSH signature is over ${printable(`${digest}, by ${algorithm}`)}`);
  return { ok: true, key: key.toString('base64') };
}

const KEY_TYPES = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
];

/** A public key as OpenSSH writes it, without its comment; undefined: a certificate, an old type, no key. */
export function readSshKey(line: string): { readonly type: string; readonly key: string } | undefined {
  const [type = '', base64 = ''] = line.trim().split(/ +/);
  const blob = Buffer.from(base64, 'base64');
  if (!KEY_TYPES.includes(type) || stringsOf(blob)?.[0]?.toString('latin1') !== type) return undefined;
  return { type, key: blob.toString('base64') };
}

/** As ssh-keygen -l shows it. */
const fingerprint = (key: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')}`;

const MAGIC = 'SSHSIG\0\0\0\x01';

const fieldsOf = (blob: Buffer): readonly Buffer[] | undefined =>
  blob.subarray(0, MAGIC.length).toString('latin1') === MAGIC ? stringsOf(blob.subarray(MAGIC.length)) : undefined;

/** Strings of RFC 4251: a length in four bytes, then so many bytes. Undefined where the last one is cut. */
function stringsOf(blob: Buffer): readonly Buffer[] | undefined {
  const strings: Buffer[] = [];
  let at = 0;
  while (at < blob.length) {
    if (blob.length - at < 4) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    strings.push(blob.subarray(at + 4, end));
    at = end;
  }
  return strings;
}
