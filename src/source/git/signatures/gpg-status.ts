import { type Refusal, refused } from './refusal.ts';

/** A signature that gpg holds good, by one key. */
export interface GpgSignature {
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
export function readGpgStatus(output: string): GpgSignature | Refusal {
  const lines = output.split('\n').flatMap((line) => {
    const [mark, keyword = '', ...values] = line.split(' ');
    return mark === '[GNUPG:]' ? [{ keyword, values }] : [];
  });
  const of = (keyword: string) => lines.filter((line) => line.keyword === keyword);
  if (of('NEWSIG').length !== 1 || of('PLAINTEXT').length > 0)
    return refused('odd-signature', 'its GPG signature is not exactly one, apart from what it signs');
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
