import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { signatureOf } from '../../../../src/source/git/signatures/verify-commits.ts';
import { openCast, type Row, TODAY } from './cast.ts';
import { gpgRows } from './gpg-rows.ts';
import { hasGpg } from './keys.ts';
import { objectRows } from './object-rows.ts';
import { sshRows } from './ssh-rows.ts';

const cast = openCast();
after(() => cast.close());

const asWanted = ({ name, commit, signers, want }: Row): void => {
  const said = 'code' in want ? `refused, ${want.code}` : `signed by ${want.signer}`;
  it(`${name}: ${said}`, async () => {
    const id = commit(cast);
    const verdict = await signatureOf(cast.repository.folder, id, signers(cast), { today: TODAY });
    const { ok, ...found } = verdict;
    assert.equal(ok, 'signer' in want, JSON.stringify(found));
    assert.deepEqual(verdict.ok ? { signer: verdict.signer } : { code: verdict.code }, want, JSON.stringify(found));
  });
};

describe('what may stand for a commit', () => objectRows.forEach(asWanted));
describe('signatures of SSH', () => sshRows.forEach(asWanted));

// why: without gpg the output shows that none of this was tried; CI has gpg
const skip = hasGpg || process.env['CI'] ? false : 'gpg is not installed: install the package gnupg';
describe('signatures of GPG', { skip }, () => gpgRows.forEach(asWanted));

it('the matrix has rows enough', () => assert.ok(objectRows.length + sshRows.length + gpgRows.length >= 24));
