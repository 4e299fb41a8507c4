import { ada, bad, commitText, type GpgCast, good, type Row, withSignature } from './cast.ts';
import { atTime } from './keys.ts';

type Name = keyof GpgCast['blocks'];
type SigningName = Exclude<Name, 'withSubkey' | 'subkeyRevoked' | 'goneRevoked' | 'prolonged'>;

const by =
  (key: Name, more: object = {}): Row['signers'] =>
  ({ gpg }) => [{ name: 'ada', email: ada, gpg: gpg().blocks[key], ...more }];
const adas = by('ada');
const forge = by('forge', { name: 'forge', email: 'noreply@forge.example' });
const all =
  (...lists: readonly Row['signers'][]): Row['signers'] =>
  (cast) =>
    lists.flatMap((list) => list(cast));

const signed =
  (key: SigningName, options: readonly string[] = []): Row['commit'] =>
  ({ repository, gpg, text }) =>
    repository.store(withSignature(text, gpg().home.sign(text, gpg()[key], options)));

const merged: Row['commit'] = ({ repository: { tree, root, store }, gpg }) => {
  const merge = commitText({ tree, parents: [root, root], committer: 'Forge <noreply@forge.example>' });
  return store(withSignature(merge, gpg().home.sign(merge, gpg().forge)));
};

const armoured =
  (make: (keys: GpgCast, text: string) => string): Row['commit'] =>
  ({ repository, gpg, text }) =>
    repository.store(withSignature(text, make(gpg(), text)));

const bySubkey = armoured(({ signatures }) => signatures.subkey);
const byGone = armoured(({ signatures }) => signatures.gone);

const sound: readonly Row[] = [
  { name: 'a listed key', commit: signed('ada'), signers: adas, want: good('ada') },
  {
    name: 'a merge that git signed',
    commit: ({ repository: { git, root, tree }, gpg }) =>
      git('commit-tree', `-S${gpg().ada}`, '-m', 'merge', '-p', root, tree),
    signers: adas,
    want: good('ada'),
  },
  { name: 'a subkey of a listed key', commit: bySubkey, signers: by('withSubkey'), want: good('ada') },
  {
    name: 'listed for an address that is not in the key',
    commit: signed('eve'),
    signers: by('eve'),
    want: good('ada'),
  },
  {
    name: 'a key beside signers of SSH',
    commit: signed('ada'),
    signers: all(({ ssh }) => [{ name: 'ada-ssh', email: ada, ssh: ssh.ada.line }], adas),
    want: good('ada'),
  },
  { name: "a merge by a forge's key, listed", commit: merged, signers: all(adas, forge), want: good('forge') },
];

const notHers: readonly Row[] = [
  { name: 'a key nobody has', commit: signed('eve'), signers: adas, want: bad('unknown-key') },
  { name: 'no signers at all', commit: signed('ada'), signers: () => [], want: bad('unknown-key') },
  {
    name: 'a listed block that is no key',
    commit: signed('ada'),
    signers: by('ada', { gpg: '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n' }),
    want: bad('unknown-key'),
  },
  {
    name: 'a subkey made after the block was listed',
    commit: bySubkey,
    signers: by('whole'),
    want: bad('unknown-key'),
  },
  {
    name: 'the key of another signer',
    commit: signed('eve'),
    signers: all(adas, by('eve', { name: 'eve', email: 'eve@acme.example' })),
    want: bad('other-email'),
  },
  {
    name: 'an address in the key that is not the listed one',
    commit: signed('ada'),
    signers: by('ada', { email: 'ada@home.example' }),
    want: bad('other-email'),
  },
  { name: "a merge by a forge's key, not listed", commit: merged, signers: adas, want: bad('unknown-key') },
  {
    name: "a forge's key over a commit under a person's address",
    commit: signed('forge'),
    signers: all(adas, forge),
    want: bad('other-email'),
  },
];

const noMore: readonly Row[] = [
  { name: 'a revoked signer', commit: signed('ada'), signers: by('ada', { revoked: true }), want: bad('revoked') },
  {
    name: 'the day after the last',
    commit: signed('ada'),
    signers: by('ada', { until: '2027-01-30' }),
    want: bad('expired'),
  },
  {
    name: 'an expired key, signed in time',
    commit: signed('ended', atTime('20200601T000000')),
    signers: by('ended'),
    want: bad('expired'),
  },
  {
    name: 'an expired key that its owner prolonged, as listed anew',
    commit: signed('ended', atTime('20200601T000000')),
    signers: by('prolonged'),
    want: good('ada'),
  },
  {
    name: 'a signature with an end of its own',
    commit: signed('old', ['--default-sig-expire', '1d', ...atTime('20200601T000000')]),
    signers: by('old'),
    want: bad('expired'),
  },
  {
    name: 'a signature older than its key',
    commit: signed('ada', atTime('20200601T000000')),
    signers: adas,
    want: bad('bad-signature'),
  },
  { name: 'a revoked subkey', commit: bySubkey, signers: by('subkeyRevoked'), want: bad('revoked') },
  { name: 'a key that its owner revoked', commit: byGone, signers: by('goneRevoked'), want: bad('revoked') },
  {
    name: 'a key that its owner revoked, listed before and after',
    commit: byGone,
    signers: all(by('gone'), by('goneRevoked')),
    want: bad('revoked'),
  },
];

const odd: readonly Row[] = [
  {
    name: 'changed after it was signed',
    commit: armoured((keys, text) => keys.home.sign(`${text}\n`, keys.ada)),
    signers: adas,
    want: bad('bad-signature'),
  },
  {
    name: 'a digest of SHA-1',
    commit: signed('ada', ['--digest-algo', 'SHA1']),
    signers: adas,
    want: bad('weak-digest'),
  },
  {
    name: 'a digest of SHA-1, by a key nobody has',
    commit: signed('eve', ['--digest-algo', 'SHA1']),
    signers: adas,
    want: bad('weak-digest'),
  },
  {
    name: 'two signatures in one armour',
    commit: armoured((keys, text) => keys.home.sign(text, keys.ada, ['-u', keys.eve])),
    signers: all(adas, by('eve')),
    want: bad('odd-signature'),
  },
  {
    name: 'a signature over text, not bytes',
    commit: signed('ada', ['--textmode']),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a signature that brings its own text',
    commit: armoured((keys, text) =>
      keys.home.gpg(['--armor', '-u', keys.ada, '--sign'], text).replaceAll('PGP MESSAGE', 'PGP SIGNATURE'),
    ),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'text after the armour',
    commit: armoured((keys, text) => `${keys.home.sign(text, keys.ada)}and more\n`),
    signers: adas,
    want: bad('odd-signature'),
  },
  {
    name: 'a signature of SSH beside it',
    commit: ({ repository, ssh, gpg, text }) => {
      const once = withSignature(text, gpg().home.sign(text, gpg().ada));
      return repository.store(withSignature(once, ssh.ada.sign(text)));
    },
    signers: all(adas, ({ ssh }) => [{ name: 'ada-ssh', email: ada, ssh: ssh.ada.line }]),
    want: bad('odd-signature'),
  },
];

/** Commits signed by keys of GPG. */
export const gpgRows: readonly Row[] = [...sound, ...notHers, ...odd, ...noMore];
