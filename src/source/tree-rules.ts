import { error, type Problem } from '../core/documents/problem.ts';
import { forbiddenCharacter, shownText } from './characters.ts';
import { limits } from './limits.ts';
import type { TreeEntry } from './tree-source.ts';

/** What a spec tree must hold to. Rows of a table, so that a test can leave one out and see what it was for. */
export interface TreeRules {
  readonly entries: readonly EntryRule[];
  /** Problems of spec files, and of folders, whose names some file systems take for one. */
  readonly twins: (paths: readonly string[]) => readonly Problem[];
  readonly most: TreeLimits;
}

export interface EntryRule {
  readonly name: string;
  /** Of everything, of what is not passed over, or of folders and spec files only. */
  readonly of: 'all' | 'seen' | 'read';
  /** `before`: the entry before it in the order of names. */
  readonly breaks: (entry: TreeEntry, before?: TreeEntry) => boolean;
  /** The problem's code, and what it says. */
  readonly code: string;
  readonly message: string;
}

type Limited = 'files' | 'fileBytes' | 'treeBytes' | 'folderDepth' | 'entries' | 'userDataBytes';
export type TreeLimits = Readonly<Record<Limited, number>>;

export const treeRules: TreeRules = {
  entries: [
    {
      name: 'again',
      of: 'seen',
      breaks: ({ name }, before) => name === before?.name,
      code: 'twin-file',
      message: 'this name stands twice in its folder',
    },
    {
      name: 'symlink',
      of: 'seen',
      breaks: ({ kind }) => kind === 'symlink',
      code: 'symlink',
      message: 'symlinks are not followed: put the file here',
    },
    {
      // why: another program would read it as an option where it stands alone
      name: 'option',
      of: 'read',
      breaks: ({ name }) => name.startsWith('-'),
      code: 'bad-name',
      message: 'a name that begins with a dash reads as an option: rename it',
    },
    {
      name: 'character',
      of: 'read',
      breaks: ({ name }) => forbiddenCharacter(name) >= 0 || /[\p{Cf}\t\r\n\\\ufffd]/u.test(name),
      code: 'bad-name',
      message: 'a name with characters that do not show, or that part folders elsewhere: rename it',
    },
    {
      // why: NAME_MAX of Linux, macOS and Windows
      name: 'length',
      of: 'read',
      breaks: ({ name }) => Buffer.byteLength(name) > 255,
      code: 'bad-name',
      message: 'a name of more than 255 bytes fits no file system: rename it',
    },
  ],
  twins,
  most: limits,
};

/** A tree must mean the same wherever it is checked out. */
function twins(paths: readonly string[]): readonly Problem[] {
  const groups = Map.groupBy(paths, folded);
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map((path) =>
      problemAt(path, 'twin-file', `this name differs from ${shownText(first ?? '')} in case or accents only`),
    ),
  );
}

/** Upper case first, as `ß` and `ſ` have no other; both forms of an accent are one. */
export const folded = (path: string): string => path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

export const problemAt = (file: string, code: string, message: string): Problem =>
  error(code, { file: shownText(file), line: 1, column: 1 }, message);
