import { createHash } from 'node:crypto';
import { type Refusal, refused, shown } from './refusal.ts';

/** What an SSH signature says of itself: https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig */
export interface SshSignature {
  readonly ok: true;
  /** The public key, in base64 as `authorized_keys` has it. */
  readonly key: string;
}

/** As git signs; a key that signs mails or packages too does not sign commits by that. */
const NAMESPACE = 'git';
const DIGESTS = ['sha256', 'sha512'];
/** RSA over SHA-1: https://www.openssh.com/txt/release-8.8 */
const WEAK_ALGORITHM = 'ssh-rsa';

/** Whose key it names and whether it may count at all. Whether it holds is for ssh-keygen to say. */
export function readSshSignature(armour: string): SshSignature | Refusal {
  const blob = Buffer.from(armour.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
  const [key, namespace, , digest, signature, ...more] = fieldsOf(blob) ?? [];
  if (key === undefined || digest === undefined || signature === undefined || more.length > 0)
    return refused('odd-signature', 'its SSH signature is not in the form that OpenSSH writes');
  if (namespace?.toString('latin1') !== NAMESPACE)
    return refused('other-namespace', `it is signed for "${shown(String(namespace))}", not as a commit`);
  const algorithm = stringsOf(signature)?.[0]?.toString('latin1');
  if (!DIGESTS.includes(digest.toString('latin1')) || algorithm === WEAK_ALGORITHM)
    return refused('weak-digest', `its SSH signature is over ${shown(`${digest}, by ${algorithm}`)}`);
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
export const fingerprint = (key: string): string =>
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
