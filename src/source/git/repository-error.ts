/**
 * `refused`: its address or a ref is not one that we give to git. `away`: it does not answer as it should.
 * `unknown`: it has nothing by that name. `unreadable`: our copy of it cannot be read; the next fetch makes it anew.
 */
export type RepositoryTrouble = 'refused' | 'away' | 'unknown' | 'unreadable';

/** What says, for people and without a secret, what cannot be done with which repository, why, and what to do. */
export class RepositoryError extends Error {
  readonly trouble: RepositoryTrouble;
  /** The repository's name for people. */
  readonly repository: string;

  constructor(message: string, { trouble, repository, cause }: RepositoryErrorOptions) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'RepositoryError';
    this.trouble = trouble;
    this.repository = repository;
  }
}

interface RepositoryErrorOptions {
  readonly trouble: RepositoryTrouble;
  readonly repository: string;
  readonly cause?: unknown;
}

export const unknownCommit = (repository: string, commit: string): RepositoryError =>
  new RepositoryError(
    `${repository} has no commit ${commit} as far as it was fetched. Name one of the branch that is followed`,
    { trouble: 'unknown', repository },
  );
