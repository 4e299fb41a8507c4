import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { signatures } from '../../../../src/core/documents/estate.ts';
import { readSshKey } from '../../../../src/source/git/signatures/ssh.ts';
import { signatureOf } from '../../../../src/source/git/signatures/verify-commits.ts';
import { ada, openCast, TODAY, withSignature } from './cast.ts';
import { certificateOf, hasGpg } from './keys.ts';

const cast = openCast();
after(() => cast.close());

const parsed = (signer: object) =>
  signatures().safeParse({ required: true, signers: [{ name: 'ada', email: ada, ...signer }] });

describe('what an estate may list, is judged', () => {
  for (const [type, { line }] of Object.entries(cast.ssh))
    it(`a key of SSH: ${type}`, () => {
      assert.ok(parsed({ ssh: line }).success);
      assert.ok(readSshKey(line));
    });

  it('no certificate, in both', () => {
    const line = certificateOf(cast.ssh.rsa);
    assert.equal(parsed({ ssh: line }).success, false);
    assert.equal(readSshKey(line), undefined);
  });

  const skip = hasGpg || process.env['CI'] ? false : 'gpg is not installed: install the package gnupg';
  it('keys of GPG, as gpg exports them', { skip }, () => {
    for (const [name, block] of Object.entries(cast.gpg().blocks)) assert.ok(parsed({ gpg: block }).success, name);
  });

  const ends = [
    { name: 'its last day', more: { until: TODAY }, want: '' },
    { name: 'a day later', more: { until: '2027-01-30' }, want: 'expired' },
    { name: 'revoked', more: { revoked: true }, want: 'revoked' },
    { name: 'not revoked', more: { revoked: false }, want: '' },
  ];
  for (const { name, more, want } of ends)
    it(`a signer on ${name}: ${want || 'counts'}`, async () => {
      const { data } = parsed({ ssh: cast.ssh.ada.line, ...more });
      assert.ok(data);
      const { repository, ssh, text } = cast;
      const commit = repository.store(withSignature(text, ssh.ada.sign(text)));
      const verdict = await signatureOf(repository.folder, commit, data.signers, { today: TODAY });
      assert.equal(verdict.ok ? '' : verdict.code, want);
    });

  it('no day that does not exist', () =>
    assert.equal(parsed({ ssh: cast.ssh.ada.line, until: '2027-02-30' }).success, false));
});
