import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, ada, bad, type Cast, commitText, good, type Row, withHeader, withSignature } from './cast.ts';

const signers: Row['signers'] = ({ ssh }) => [{ name: 'ada', email: ada, ssh: ssh.ada.line }];

const signedText = ({ ssh }: Cast, text: string): string => withSignature(text, ssh.ada.sign(text));
const signed = (cast: Cast, text: string): string => cast.repository.store(signedText(cast, text));

/** An annotated tag of an unsigned commit; ada signed only the tag. */
function signedTag(cast: Cast): string {
  const tag = `object ${cast.repository.root}\ntype commit\ntag v1\ntagger ${ADA} 1795300000 +0100\n\nrelease\n`;
  return tag + cast.ssh.ada.sign(tag);
}

/** The commit of the cast, sound in all but one thing; signed as it is. */
const crafted =
  (change: (text: string) => string): Row['commit'] =>
  (cast) =>
    signed(cast, change(cast.text));

const names: readonly Row[] = [
  { name: 'not signed', commit: ({ repository }) => repository.root, signers, want: bad('unsigned') },
  {
    name: 'a signed tag on a commit that is not, by the commit',
    commit: (cast) => {
      cast.repository.store(signedTag(cast), 'tag');
      return cast.repository.root;
    },
    signers,
    want: bad('unsigned'),
  },
  {
    name: 'a signed tag on a commit that is not, by the tag',
    commit: (cast) => cast.repository.store(signedTag(cast), 'tag'),
    signers,
    want: bad('no-commit'),
  },
  {
    name: 'a merge of a signed tag, itself not signed',
    commit: (cast) => cast.repository.store(withHeader(cast.text, 'mergetag', signedTag(cast))),
    signers,
    want: bad('unsigned'),
  },
  {
    name: 'a merge of a signed tag, itself signed',
    commit: (cast) => signed(cast, withHeader(cast.text, 'mergetag', signedTag(cast))),
    signers,
    want: good('ada'),
  },
  {
    name: 'a blob that reads like a signed commit',
    commit: (cast) => cast.repository.store(signedText(cast, cast.text), 'blob'),
    signers,
    want: bad('no-commit'),
  },
  { name: 'a tree', commit: ({ repository }) => repository.tree, signers, want: bad('no-commit') },
  { name: 'a commit the mirror has not', commit: () => 'd'.repeat(40), signers, want: bad('no-commit') },
  { name: 'the name of a branch', commit: () => 'HEAD', signers, want: bad('no-commit') },
  {
    name: 'a name cut short',
    commit: (cast) => signed(cast, cast.text).slice(0, 12),
    signers,
    want: bad('no-commit'),
  },
  { name: 'an option', commit: () => '--batch-all-objects', signers, want: bad('no-commit') },
  {
    name: 'two names in one',
    commit: (cast) => `${signed(cast, cast.text)}\n${cast.repository.root}`,
    signers,
    want: bad('no-commit'),
  },
];

const forms: readonly Row[] = [
  {
    name: 'replaced by a signed commit, with a reference of git replace',
    commit: (cast) => {
      const unsigned = cast.repository.store(commitText({ tree: cast.repository.tree, message: 'replaced\n' }));
      cast.repository.git('update-ref', `refs/replace/${unsigned}`, signed(cast, cast.text));
      return unsigned;
    },
    signers,
    want: bad('unsigned'),
  },
  {
    name: 'bytes that its name does not stand for: a signed commit put over one that is not',
    commit: (cast) => {
      const fileOf = (id: string) => join(cast.repository.folder, 'objects', id.slice(0, 2), id.slice(2));
      const victim = cast.repository.store(commitText({ tree: cast.repository.tree, message: 'overwritten\n' }));
      const by = signed(cast, cast.text);
      rmSync(fileOf(victim));
      copyFileSync(fileOf(by), fileOf(victim));
      return victim;
    },
    signers,
    want: bad('odd-commit'),
  },
  { name: 'a NUL in the message', commit: crafted((text) => `${text}a\0b\n`), signers, want: bad('odd-commit') },
  {
    name: 'two committers',
    commit: crafted((text) => withHeader(text, 'committer', 'Eve <eve@acme.example> 1795300000 +0100')),
    signers,
    want: bad('odd-commit'),
  },
  {
    name: 'an address in another',
    commit: crafted((text) => text.replaceAll(ADA, 'Ada <eve@acme.example> <ada@acme.example>')),
    signers,
    want: bad('odd-commit'),
  },
  {
    name: 'no committer',
    commit: crafted((text) => text.replace(/^committer.*\n/m, '')),
    signers,
    want: bad('odd-commit'),
  },
  {
    name: 'a second tree after the signature',
    commit: crafted((text) => withHeader(text, 'tree', 'a'.repeat(40))),
    signers,
    want: bad('odd-commit'),
  },
  {
    name: 'a tree that goes on in another line',
    commit: crafted((text) => text.replace('\nparent', '\n more\nparent')),
    signers,
    want: bad('odd-commit'),
  },
  {
    name: 'no end of the headers',
    commit: ({ repository, text }) => repository.store(text.slice(0, text.indexOf('\n\n') + 1)),
    signers,
    want: bad('odd-commit'),
  },
  {
    name: 'more than a mebibyte',
    commit: crafted((text) => text + 'x'.repeat(1024 * 1024)),
    signers,
    want: bad('odd-commit'),
  },
];

/** Possible names of a commit, and possible forms of one. */
export const objectRows: readonly Row[] = [...names, ...forms];
