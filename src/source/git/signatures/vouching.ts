import { type Refusal, refused, shown } from './refusal.ts';
import type { Signer } from './signer.ts';

/** A signature that holds, and whose it is: the signer's name. */
export interface Vouched {
  readonly ok: true;
  readonly signer: string;
}

/** A key that signed a commit. `key`: in words. `listings`: every signer that has it. */
export interface Use {
  readonly key: string;
  readonly listings: readonly Signer[];
  readonly committer: string;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/**
 * Who speaks for a commit that a key signed. Ends are judged by today and not by the commit's own date, which whoever
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
export function vouching({ key, listings, committer, today }: Use): Vouched | Refusal {
  if (listings.length === 0) return refused('unknown-key', `it is signed by ${key}, which no signer has`);
  const gone = listings.find(({ revoked }) => revoked === true);
  if (gone) return refused('revoked', `it is signed by ${key}, and signer ${gone.name} is revoked`);
  const own = listings.filter(({ email }) => email === committer);
  if (own.length === 0) {
    const emails = [...new Set(listings.map(({ email }) => email))].join(', ');
    return refused(
      'other-email',
      `${shown(committer)} committed it, and ${key}, which signed it, is listed for ${emails}`,
    );
  }
  const standing = own.find(({ until }) => until === undefined || today <= until);
  if (standing) return { ok: true, signer: standing.name };
  const ended = own.map(({ name, until }) => `${name} ended on ${until}`).join(', ');
  return refused('expired', `it is signed by ${key}, and signer ${ended}`);
}
