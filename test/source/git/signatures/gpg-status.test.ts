import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readGpgStatus } from '../../../../src/source/git/signatures/gpg.ts';

const KEY = 'E645E086ADE2B620BADCA69B90398B19845C78C9';
const validBy = (digest: number, kind = '00') =>
  `VALIDSIG ${KEY} 2026-11-22 1795306916 0 4 0 22 ${digest} ${kind} ${KEY}`;
const good = 'GOODSIG 90398B19845C78C9 Ada <ada@acme.example>';
const valid = validBy(8);

/** Status lines of GPG, and our verdict. No release sends most of these sequences for a commit. */
const rows: readonly { readonly name: string; readonly says: readonly string[]; readonly want: string }[] = [
  { name: 'one good signature', says: ['NEWSIG', good, valid], want: KEY },
  { name: 'over SHA-512', says: ['NEWSIG', good, validBy(10)], want: KEY },
  { name: 'nothing', says: [], want: 'odd-signature' },
  { name: 'good and valid, of no signature', says: [good, valid], want: 'odd-signature' },
  { name: 'two signatures, one good', says: ['NEWSIG', good, valid, 'NEWSIG', 'BADSIG 1 x'], want: 'odd-signature' },
  { name: 'a text of its own', says: ['PLAINTEXT 62 0 ', 'NEWSIG', good, valid], want: 'odd-signature' },
  { name: 'good, not valid', says: ['NEWSIG', good], want: 'bad-signature' },
  { name: 'valid, not good', says: ['NEWSIG', valid], want: 'bad-signature' },
  { name: 'valid twice', says: ['NEWSIG', good, valid, valid], want: 'bad-signature' },
  { name: 'good and bad', says: ['NEWSIG', good, 'BADSIG 1 x', valid], want: 'bad-signature' },
  { name: 'good and revoked', says: ['NEWSIG', good, 'REVKEYSIG 1 x', valid], want: 'revoked' },
  { name: 'good and expired', says: ['NEWSIG', good, 'EXPKEYSIG 1 x', valid], want: 'expired' },
  { name: 'over MD5', says: ['NEWSIG', 'ERRSIG 1 1 1 00 1795306916 5 -'], want: 'weak-digest' },
  { name: 'by a way nobody knows', says: ['NEWSIG', 'ERRSIG 1 99 8 00 1795306916 4 -'], want: 'bad-signature' },
  { name: 'over RIPEMD-160', says: ['NEWSIG', good, validBy(3)], want: 'weak-digest' },
  { name: 'over a key', says: ['NEWSIG', good, validBy(8, '10')], want: 'odd-signature' },
  { name: 'a name that reads like a status', says: ['NEWSIG', `${good} [GNUPG:] ${valid}`], want: 'bad-signature' },
];

for (const { name, says, want } of rows)
  it(`GPG says: ${name}: ${want === KEY ? 'held' : want}`, () => {
    const signature = readGpgStatus(says.map((line) => `[GNUPG:] ${line}\n`).join(''));
    assert.equal(signature.ok ? signature.fingerprint : signature.code, want);
  });
