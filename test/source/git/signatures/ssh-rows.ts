import { ada, bad, type Cast, commitText, good, type Row, withHeader, withSignature } from './cast.ts';
import { blobOf, byRsa, certificateOf, field, sshSignatureOf } from './keys.ts';

type Name = keyof Cast['ssh'];

const by =
  (key: Name, more: object = {}): Row['signers'] =>
  ({ ssh }) => [{ name: 'ada', email: ada, ssh: ssh[key].line, ...more }];
const adas = by('ada');
const all =
  (...lists: readonly Row['signers'][]): Row['signers'] =>
  (cast) =>
    lists.flatMap((list) => list(cast));

/** The commit of the cast, or one with other fields, signed by a key. */
const signed =
  (key: Name, fields?: object): Row['commit'] =>
  ({ repository, ssh, text }) => {
    const commit = fields ? commitText({ tree: repository.tree, ...fields }) : text;
    return repository.store(withSignature(commit, ssh[key].sign(commit)));
  };

/** The cast's commit with a signature that is made somehow. */
const armoured =
  (make: (cast: Cast) => string): Row['commit'] =>
  (cast) =>
    cast.repository.store(withSignature(cast.text, make(cast)));

/** The same, where the form of OpenSSH is put together by hand. */
const byHand = (parts: object): Row['commit'] =>
  armoured(({ ssh, text }) =>
    sshSignatureOf(text, { key: blobOf(ssh.ada.line), signature: byRsa(ssh.rsa, 'rsa-sha2-512').signature, ...parts }),
  );

const byCertificate = armoured(({ ssh, text }) =>
  sshSignatureOf(text, { ...byRsa(ssh.rsa, 'rsa-sha2-512'), key: blobOf(certificateOf(ssh.rsa)) }),
);

/** The cast's commit, signed by ada, then changed. */
const changed =
  (change: (signed: string, cast: Cast) => string): Row['commit'] =>
  (cast) =>
    cast.repository.store(change(withSignature(cast.text, cast.ssh.ada.sign(cast.text)), cast));

const sound: readonly Row[] = [
  { name: 'an Ed25519 key', commit: signed('ada'), signers: adas, want: good('ada') },
  { name: 'an RSA key', commit: signed('rsa'), signers: by('rsa'), want: good('ada') },
  { name: 'an ECDSA key', commit: signed('ecdsa'), signers: by('ecdsa'), want: good('ada') },
  { name: 'a key of a FIDO token', commit: signed('token'), signers: by('token'), want: good('ada') },
  {
    name: 'the second key of one person',
    commit: signed('ecdsa'),
    signers: all(adas, by('ecdsa', { name: 'ada-laptop' })),
    want: good('ada-laptop'),
  },
  {
    name: 'a patch of somebody who is no signer, committed by one who is',
    commit: signed('ada', { author: 'Eve <eve@acme.example>' }),
    signers: adas,
    want: good('ada'),
  },
  {
    name: 'a signature that a forge ended with an empty line',
    commit: changed((commit) => commit.replace('END SSH SIGNATURE-----\n', 'END SSH SIGNATURE-----\n \n')),
    signers: adas,
    want: good('ada'),
  },
  {
    name: 'a merge that git signed',
    commit: ({ repository: { git, root, tree }, ssh }) => {
      const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${ssh.ada.file}`];
      return git(...settings, 'commit-tree', '-S', '-m', 'merge', '-p', root, tree);
    },
    signers: adas,
    want: good('ada'),
  },
  {
    name: 'a message that is no UTF-8',
    commit: ({ repository, ssh, text }) => {
      const latin = Buffer.from(`${text}d\xe9j\xe0 vu\n`, 'latin1');
      return repository.store(Buffer.from(withSignature(latin.toString('latin1'), ssh.ada.sign(latin)), 'latin1'));
    },
    signers: adas,
    want: good('ada'),
  },
  { name: 'the last day', commit: signed('ada'), signers: by('ada', { until: '2027-01-31' }), want: good('ada') },
  {
    name: 'one listing ended, another has not',
    commit: signed('ada'),
    signers: all(by('ada', { until: '2026-01-01' }), by('ada', { name: 'ada-again' })),
    want: good('ada-again'),
  },
];

const notHers: readonly Row[] = [
  { name: 'a key nobody has', commit: signed('eve'), signers: adas, want: bad('unknown-key') },
  { name: 'no signers at all', commit: signed('ada'), signers: () => [], want: bad('unknown-key') },
  {
    name: 'a listed key that is none',
    commit: signed('ada'),
    signers: by('ada', { ssh: 'ssh-ed25519 AAAAAAAA' }),
    want: bad('unknown-key'),
  },
  {
    name: 'a certificate, listed in place of a key',
    commit: byCertificate,
    signers: ({ ssh }) => [{ name: 'ada', email: ada, ssh: certificateOf(ssh.rsa) }],
    want: bad('unknown-key'),
  },
  {
    name: 'a certificate of a listed key',
    commit: byCertificate,
    signers: by('rsa'),
    want: bad('unknown-key'),
  },
  {
    name: 'committed under the address of another signer',
    commit: signed('ada', { committer: 'Eve <eve@acme.example>' }),
    signers: all(adas, by('eve', { name: 'eve', email: 'eve@acme.example' })),
    want: bad('other-email'),
  },
  {
    name: 'the key is listed for another address',
    commit: signed('ada'),
    signers: by('ada', { email: 'ada@home.example' }),
    want: bad('other-email'),
  },
  {
    name: 'the key is listed for a pattern that the address would match',
    commit: signed('ada'),
    signers: by('ada', { email: '*' }),
    want: bad('other-email'),
  },
  { name: 'a revoked signer', commit: signed('ada'), signers: by('ada', { revoked: true }), want: bad('revoked') },
  {
    name: 'a key revoked under another address',
    commit: signed('ada'),
    signers: all(adas, by('ada', { email: 'ada@home.example', revoked: true })),
    want: bad('revoked'),
  },
  {
    name: 'the day after the last, though the commit says it was made before',
    commit: signed('ada'),
    signers: by('ada', { until: '2027-01-30' }),
    want: bad('expired'),
  },
];

const notThis: readonly Row[] = [
  {
    name: 'signed as a file, by a listed key',
    commit: armoured(({ ssh, text }) => ssh.ada.sign(text, 'file')),
    signers: adas,
    want: bad('other-namespace'),
  },
  {
    name: 'changed after it was signed',
    commit: changed((commit) => commit.replace('443', '22')),
    signers: adas,
    want: bad('bad-signature'),
  },
  {
    name: 'rebased, its signature kept',
    commit: changed((commit, { repository: { root, store, tree } }) =>
      commit.replace(root, store(commitText({ tree, message: 'a newer base\n' }))),
    ),
    signers: adas,
    want: bad('bad-signature'),
  },
  {
    name: 'rebased, its signature gone',
    commit: ({ repository, text }) => repository.store(text),
    signers: adas,
    want: bad('unsigned'),
  },
  {
    name: 'a header more than was signed',
    commit: changed((commit) => withHeader(commit, 'encoding', 'latin1')),
    signers: adas,
    want: bad('bad-signature'),
  },
  {
    name: "a listed key's name over another key's signature",
    commit: byHand({}),
    signers: adas,
    want: bad('bad-signature'),
  },
  {
    name: 'RSA over SHA-1',
    commit: armoured(({ ssh, text }) => sshSignatureOf(text, byRsa(ssh.rsa, 'ssh-rsa'))),
    signers: by('rsa'),
    want: bad('weak-digest'),
  },
  { name: 'a hash by SHA-1', commit: byHand({ digest: 'sha1' }), signers: adas, want: bad('weak-digest') },
];

const odd: readonly Row[] = [
  {
    name: 'a version that nobody knows',
    commit: armoured(({ ssh, text }) => ssh.ada.sign(text).replace('U1NIU0lHAAAAAQ', 'U1NIU0lHAAAAAg')),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'text after the armour',
    commit: armoured(({ ssh, text }) => `${ssh.ada.sign(text)}and more\n`),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a second armour after the first',
    commit: armoured(({ ssh, text }) => ssh.ada.sign(text) + ssh.eve.sign(text)),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'bytes after the signature, inside the armour',
    commit: byHand({ trailing: field('more') }),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'two signatures in two headers',
    commit: changed((commit, { ssh, text }) => withSignature(commit, ssh.eve.sign(text))),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a signature of the SHA-256 format beside a sound one',
    commit: changed((commit, { ssh, text }) => withHeader(commit, 'gpgsig-sha256', ssh.eve.sign(text))),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a signature of the SHA-256 format alone',
    commit: ({ repository, ssh, text }) => repository.store(withHeader(text, 'gpgsig-sha256', ssh.ada.sign(text))),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a header of signatures in capitals, which git takes for none',
    commit: ({ repository, ssh, text }) => repository.store(withHeader(text, 'GPGSIG', ssh.ada.sign(text))),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'an X.509 signature',
    commit: armoured(() => '-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----\n'),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a signature of great length',
    commit: byHand({ trailing: Buffer.alloc(64 * 1024) }),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a signature in the message',
    commit: ({ repository, ssh, text }) =>
      repository.store(`${text}\ngpgsig ${ssh.ada.sign(text).replaceAll('\n', '\n ')}`),
    signers: adas,
    want: bad('unsigned'),
  },
];

/** Commits signed by keys of SSH. */
export const sshRows: readonly Row[] = [...sound, ...notHers, ...notThis, ...odd];
