/** A signer, as the active Estate document lists it: one public key, of SSH or of GPG, and the address it commits under. */
export interface Signer {
  readonly name: string;
  readonly email: string;
  /** One line of OpenSSH: type, key, comment. */
  readonly ssh?: string | undefined;
  /** One armoured block; a person's subkeys are in it. */
  readonly gpg?: string | undefined;
  /** The last day, YYYY-MM-DD, on which it counts. */
  readonly until?: string | undefined;
  /** It counts no more, under whatever address it is listed besides. */
  readonly revoked?: boolean | undefined;
}

/** A signature that holds, and whose it is: the signer's name. */
export interface Authorized {
  readonly ok: true;
  readonly signer: string;
}

/** A key that signed a commit. `key`: in words. `listings`: every signer that has it. */
interface SigningKey {
  readonly key: string;
  readonly listings: readonly Signer[];
  readonly committer: string;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/**
 * The signer of a commit that a key signed. Ends are compared with today and not with the commit's own date, which a person who
 * holds the key may choose.
 *
 * | the key is listed              | answer      |
 * |--------------------------------|-------------|
 * | nowhere                        | unknown-key |
 * | anywhere as revoked            | revoked     |
 * | under other addresses only     | other-email |
 * | under this one, ended each time | expired    |
 * | under this one                 | its signer  |
 */
export function authorizeKey({ key, listings, committer, today }: SigningKey): Authorized | SignatureRefusal {
  if (listings.length === 0) return refused('unknown-key', `it is signed by ${key}, which no signer has`);
  const gone = listings.find(({ revoked }) => revoked === true);
  if (gone) return refused('revoked', `it is signed by ${key}, and signer ${gone.name} is revoked`);
  const own = listings.filter(({ email }) => email === committer);
  if (own.length === 0) {
    const emails = [...new Set(listings.map(({ email }) => email))].join(', ');
    return refused(
      'other-email',
      `${printable(committer)} committed it, and ${key}, which signed it, is listed for ${emails}`,
    );
  }
  const standing = own.find(({ until }) => until === undefined || today <= until);
  if (standing) return { ok: true, signer: standing.name };
  const ended = own.map(({ name, until }) => `${name} ended on ${until}`).join(', ');
  return refused('expired', `it is signed by ${key}, and signer ${ended}`);
}

/** A commit that is not held to be signed. `why`: what is wrong and what to do, in words. */
export interface SignatureRefusal {
  readonly ok: false;
  readonly code: RefusalCode;
  readonly why: string;
}

export type RefusalCode = keyof typeof NEXT;

/** Every reason there is, with what to do about it. */
const NEXT = {
  'no-commit': 'give the full name of a commit that the mirror holds',
  'odd-commit': 'make it again with git, signed, and push that',
  unsigned: 'sign it as one of the signers (git commit --amend -S, or git rebase --exec) and push again',
  'odd-signature': 'sign it again with git, by one SSH or GPG key, and push again',
  'other-namespace': 'sign it with git itself (gpg.format=ssh), which signs in the namespace git',
  'weak-digest': 'sign it again with SHA-256 or SHA-512, and push again',
  'unknown-key':
    'if the key is to be trusted, list it under spec.signatures.signers in a commit that a listed signer signs',
  'other-email': 'commit under the address that the key is listed with (git config user.email), and push again',
  revoked: 'sign it again with a key that still counts, and push again',
  expired: 'sign it again with a key that still counts, and push again',
  'bad-signature': 'it was changed after it was signed, by a rebase or by hand: sign it again and push again',
  'no-program': 'until then no commit that needs it is held to be signed',
} as const;

export const refused = (code: RefusalCode, what: string): SignatureRefusal => ({
  ok: false,
  code,
  why: `${what}; ${NEXT[code]}`,
});

/** Text out of a commit, fit for a log line: printable ASCII, of bounded length. */
export const printable = (text: string): string => {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return plain.length > 80 ? `${plain.slice(0, 79)}…` : plain;
};
