import { type EntryRule, type TreeRules, treeRules } from '../tree.ts';
import { type GitSettings, gitSettings } from './git-environment.ts';
import { type ObjectRule, objectRules } from './objects.ts';
import { type NameRule, nameRules, pathRules } from './refs.ts';
import { type UrlGuards, urlGuards } from './repository-url.ts';

const inCommits: readonly EntryRule[] = [
  {
    name: 'dots',
    of: 'all',
    breaks: ({ name }) => name === '' || name === '.' || name === '..',
    code: 'bad-name',
    message: 'a name that means another folder: no commit may hold it',
  },
  {
    name: 'slash',
    of: 'all',
    breaks: ({ name }) => name.includes('/'),
    code: 'bad-name',
    message: 'a name with a slash in it: no commit may hold it',
  },
  {
    name: 'dot-git',
    of: 'all',
    breaks: ({ name }) => isDotGit(name),
    code: 'bad-name',
    message: 'a name that some file system takes for .git: no commit may hold it',
  },
  {
    // why: git writes no other modes than those of files, folders, links and submodules
    name: 'mode',
    of: 'seen',
    breaks: ({ kind }) => kind === 'other',
    code: 'bad-mode',
    message: 'git writes no file of this mode: no commit may hold it',
  },
  {
    name: 'gitlink',
    of: 'seen',
    breaks: ({ kind }) => kind === 'gitlink',
    code: 'gitlink',
    message: 'submodules are not followed: put the files here, or name the repository in spec.sources',
  },
];

/** Further rules for a tree out of git: a checkout could hold none of these, and anybody who makes one means harm. */
export const commitRules: TreeRules = { ...treeRules, entries: [...inCommits, ...treeRules.entries] };

/** Also as HFS+ reads it (leaving out what does not show) and NTFS (ends, streams, short names): CVE-2014-9390. */
function isDotGit(name: string): boolean {
  const shown = name.replaceAll(/\p{Cf}/gu, '').toLowerCase();
  return /^(?:\.git|git~\d+)[ .]*(?:$|:)/.test(shown);
}

/** All that a repository is held to, in tables; `bench/hostile-git` leaves out one row at a time. */
export interface Guards {
  readonly urls: UrlGuards;
  /** Of branches, tags and other refs. */
  readonly names: readonly NameRule[];
  /** Of the folder of specs. */
  readonly paths: readonly NameRule[];
  readonly objects: readonly ObjectRule[];
  readonly trees: TreeRules;
  readonly house: GitSettings;
}

export const guards: Guards = {
  urls: urlGuards,
  names: nameRules,
  paths: pathRules,
  objects: objectRules,
  trees: commitRules,
  house: gitSettings,
};
