/** A commit that is not held to be signed. `why`: what is wrong and what to do, in words. */
export interface Refusal {
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

export const refused = (code: RefusalCode, what: string): Refusal => ({
  ok: false,
  code,
  why: `${what}; ${NEXT[code]}`,
});

/** Text out of a commit, fit for a log line: printable ASCII, of bounded length. */
export const shown = (text: string): string => {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return plain.length > 80 ? `${plain.slice(0, 79)}…` : plain;
};
