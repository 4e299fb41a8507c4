import { refused, type SignatureRefusal } from './signers.ts';

/** A commit parted into what was signed and what signs it. */
export interface SignedCommit {
  readonly ok: true;
  /** The committer's address. */
  readonly committer: string;
  /** The commit's own bytes without its signature: what every signature is over. */
  readonly payload: Buffer;
  readonly kind: 'ssh' | 'gpg';
  /** One armoured block and nothing else. */
  readonly signature: string;
}

/** Larger than any message that a person writes. */
const MOST_BYTES = 1024 * 1024;
const MOST_SIGNATURE = 16 * 1024;

/**
 * Takes a commit apart, stricter than git does: every header where git writes it, one committer, one signature, and
 * nothing besides an armoured block in it. What git and we could read in two ways is refused.
 * Form: https://git-scm.com/docs/gitformat-signature
 */
export function readSignedCommit(bytes: Buffer): SignedCommit | SignatureRefusal {
  if (bytes.length > MOST_BYTES) return odd(`it has ${bytes.length} bytes; at most ${MOST_BYTES} are read`);
  // why: one character a byte, so that what is put together again is the same bytes
  const text = bytes.toString('latin1');
  if (text.includes('\0')) return odd('it holds a NUL');
  const end = text.indexOf('\n\n');
  if (end < 0) return odd('its headers have no end');
  const headers = headersOf(text.slice(0, end));
  const committer = headers && committerOf(headers);
  if (headers === undefined || committer === undefined) return odd('its headers are not as git writes them');
  const signatures = headers.filter(({ name }) => name.toLowerCase().startsWith('gpgsig'));
  const [signature, ...others] = signatures;
  if (signature === undefined) return refused('unsigned', 'it is not signed');
  if (others.length > 0) return refused('odd-signature', 'it has more than one signature');
  if (signature.name !== 'gpgsig')
    return refused('odd-signature', `its signature is a ${signature.name}, which no commit of a SHA-1 repository has`);
  const signed = headers.filter((header) => header !== signature).map(({ lines }) => `${lines}\n`);
  const payload = Buffer.from(signed.join('') + text.slice(end + 1), 'latin1');
  return withArmour(signature, { ok: true, committer, payload });
}

const odd = (what: string): SignatureRefusal => refused('odd-commit', what);

/** `lines`: as they stand, those that go on with a blank included. */
interface Header {
  readonly name: string;
  readonly lines: string;
}

function headersOf(text: string): readonly Header[] | undefined {
  const headers: Header[] = [];
  for (const lines of text.split(/\n(?! )/)) {
    const name = /^([A-Za-z][A-Za-z0-9:_-]*) /.exec(lines)?.[1];
    if (name === undefined) return undefined;
    headers.push({ name, lines });
  }
  return headers;
}

const LEADING = /^tree(?: parent)* author committer(?!.*\b(?:tree|parent|author|committer)\b)/;
const FORMS: Readonly<Record<string, RegExp>> = {
  tree: /^tree [0-9a-f]{40}$/,
  parent: /^parent [0-9a-f]{40}$/,
  author: /^author [^<>\n]*<[^<>\n]*> \d{1,12} [+-]\d{4}$/,
  committer: /^committer [^<>\n]*<([^<> \n]+)> \d{1,12} [+-]\d{4}$/,
};

function committerOf(headers: readonly Header[]): string | undefined {
  if (!LEADING.test(headers.map(({ name }) => name).join(' '))) return undefined;
  if (headers.some(({ name, lines }) => FORMS[name]?.test(lines) === false)) return undefined;
  const committer = headers.find(({ name }) => name === 'committer');
  return FORMS['committer']?.exec(committer?.lines ?? '')?.[1];
}

/** Armour as ssh-keygen and gpg write it; some forges end it with an empty line. */
const ARMOURS = {
  ssh: /^-----BEGIN SSH SIGNATURE-----\n(?:[A-Za-z0-9+/]{1,76}={0,2}\n)+-----END SSH SIGNATURE-----\n*$/,
  gpg: /^-----BEGIN PGP SIGNATURE-----\n(?:[A-Za-z]{1,20}: [ -~]{0,200}\n)*\n(?:[A-Za-z0-9+/=]{1,76}\n)+-----END PGP SIGNATURE-----\n*$/,
} as const;

function withArmour(
  { lines }: Header,
  commit: Pick<SignedCommit, 'ok' | 'committer' | 'payload'>,
): SignedCommit | SignatureRefusal {
  const signature = lines.slice('gpgsig '.length).replaceAll('\n ', '\n');
  if (signature.length > MOST_SIGNATURE) return refused('odd-signature', 'its signature is too long');
  if (ARMOURS.ssh.test(signature)) return { ...commit, kind: 'ssh', signature: `${signature.trimEnd()}\n` };
  if (ARMOURS.gpg.test(signature)) return { ...commit, kind: 'gpg', signature: `${signature.trimEnd()}\n` };
  return refused('odd-signature', 'its signature is not one armoured block of SSH or GPG, and nothing else');
}
