import type { TreeRules } from '../tree-rules.ts';
import { commitRules } from './commit-rules.ts';
import { type GitHouse, gitHouse } from './git-environment.ts';
import { type ObjectRule, objectRules } from './object-rules.ts';
import { type NameRule, nameRules, pathRules } from './ref-name.ts';
import { type UrlGuards, urlGuards } from './repository-url.ts';

/** All that a repository is held to, in tables; `bench/hostile-git` leaves out one row at a time. */
export interface Guards {
  readonly urls: UrlGuards;
  /** Of branches, tags and other refs. */
  readonly names: readonly NameRule[];
  /** Of the folder of specs. */
  readonly paths: readonly NameRule[];
  readonly objects: readonly ObjectRule[];
  readonly trees: TreeRules;
  readonly house: GitHouse;
}

export const guards: Guards = {
  urls: urlGuards,
  names: nameRules,
  paths: pathRules,
  objects: objectRules,
  trees: commitRules,
  house: gitHouse,
};
