/** Where a process is caught at its work. */
export const failpoints = [
  'before-intent',
  'after-intent',
  'before-sending',
  'before-answer',
  'before-settlement',
  'after-settlement',
  'within-batch',
  'while-polling',
  'while-appending',
] as const;
export type Failpoint = (typeof failpoints)[number];

/** `replace`: the old machine ends before the new one is launched. `surge`: the new one is ready before the old one ends. */
export const verbs = ['create', 'update', 'replace', 'delete', 'surge'] as const;
export type TrialVerb = (typeof verbs)[number];

/**
 * What is done to it there. `kill`: SIGKILL · `stop`: SIGSTOP until its lease has run out and another process has converged,
 * then SIGCONT · `cut`: all its connections, to the cloud and to the database, are cut; new ones may be made.
 */
export const manners = ['kill', 'stop', 'cut'] as const;
export type Manner = (typeof manners)[number];
