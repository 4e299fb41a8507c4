import type { TreeRules } from '../tree-rules.ts';
import { commitRules } from './commit-rules.ts';
import { type GitHouse, gitHouse } from './git-environment.ts';
import { type NameRule, nameRules } from './ref-name.ts';
import { type UrlRule, urlRules } from './repository-url.ts';

/** All that a repository is held to, in tables; `bench/hostile-git` leaves out one row at a time. */
export interface Guards {
  readonly urls: readonly UrlRule[];
  readonly names: readonly NameRule[];
  readonly trees: TreeRules;
  readonly house: GitHouse;
}

export const guards: Guards = { urls: urlRules, names: nameRules, trees: commitRules, house: gitHouse };
