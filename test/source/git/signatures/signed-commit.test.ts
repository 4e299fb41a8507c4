import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readSignedCommit } from '../../../../src/source/git/signatures/signed-commit.ts';
import { readSshKey, readSshSignature } from '../../../../src/source/git/signatures/ssh.ts';
import { commitText, withSignature } from './cast.ts';
import { field, sshSignatureOf } from './keys.ts';

const armour = sshSignatureOf('', { key: Buffer.alloc(51), signature: () => field('ssh-ed25519') });
const text = commitText({ tree: 'a'.repeat(40), parents: ['b'.repeat(40)] });
const read = (commit: string) => readSignedCommit(Buffer.from(commit, 'latin1'));

describe('a signed commit', () => {
  it('is the commit without its signature, byte for byte, whatever the message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const message = Buffer.from(bytes.map((byte) => byte || 1)).toString('latin1');
        const commit = read(withSignature(`${text}${message}`, armour));
        assert.ok(commit.ok);
        assert.equal(commit.payload.toString('latin1'), `${text}${message}`);
        assert.equal(commit.signature, armour);
      }),
    );
  });

  it('never has a payload that another payload could stand for: one byte changed outside its signature shows', () => {
    const whole = withSignature(text, armour);
    const from = whole.indexOf('gpgsig ');
    const to = whole.indexOf('\n\n');
    for (const [index] of [...whole].entries()) {
      if (index >= from && index <= to) continue;
      const commit = read(`${whole.slice(0, index)}~${whole.slice(index + 1)}`);
      if (commit.ok) assert.notEqual(commit.payload.toString('latin1'), text, `byte ${index}`);
    }
  });

  it('is refused with a reason and never thrown over, whatever the bytes', () => {
    const pieces = [
      'tree ',
      'committer ',
      'gpgsig ',
      '\n',
      '\n\n',
      ' ',
      'a'.repeat(40),
      armour,
      text,
      '<>',
      '\0',
      '-----',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (some) => {
        const commit = read(some.join(''));
        if (!commit.ok) assert.match(commit.why, /.; ./);
      }),
    );
  });

  it('is refused where its signature is longer than any key makes one', () => {
    const long = armour.replace('\n', `\n${`${'A'.repeat(70)}\n`.repeat(240)}`);
    const commit = read(withSignature(text, long));
    assert.equal(commit.ok ? '' : commit.code, 'odd-signature');
  });

  it('is read in no time where its headers are many', () => {
    const long = withSignature(text.replace('\n\n', `\n${'mergetag x\n y\n'.repeat(60_000)}encoding x\n\n`), armour);
    const before = process.threadCpuUsage();
    assert.ok(read(long).ok);
    // why: it takes some hundredths of a second; work for each header that grows with all of them takes a minute.
    const { user } = process.threadCpuUsage(before);
    assert.ok(user < 5_000_000, `${user} µs`);
  });
});

describe('a signature of SSH', () => {
  const blob = Buffer.from(armour.split('\n').slice(1, -2).join(''), 'base64');
  const armoured = (bytes: Buffer): string =>
    `-----BEGIN SSH SIGNATURE-----\n${bytes.toString('base64')}\n-----END SSH SIGNATURE-----\n`;

  it('is read whole', () => assert.ok(readSshSignature(armoured(blob)).ok));

  it('is by no key of DSA, which signs over SHA-1', () => {
    const lineOf = (type: string): string => `${type} ${Buffer.concat([type, 'key'].map(field)).toString('base64')}`;
    assert.ok(readSshKey(lineOf('ssh-ed25519')));
    assert.equal(readSshKey(lineOf('ssh-dss')), undefined);
  });

  it('is refused wherever it is cut', () => {
    for (let length = 0; length < blob.length; length += 1) {
      const signature = readSshSignature(armoured(blob.subarray(0, length)));
      assert.equal(signature.ok ? '' : signature.code, 'odd-signature', `cut after ${length} bytes`);
    }
  });
});
