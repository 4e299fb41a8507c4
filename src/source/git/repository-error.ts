import type { GitResult } from './run-git.ts';

/**
 * `refused`: its address or a ref is not one that we give to git. `away`: it does not answer as it should.
 * `unknown`: it has nothing by that name. `unreadable`: our copy of it cannot be read; the next fetch makes it anew.
 */
export type RepositoryErrorCode = 'refused' | 'away' | 'unknown' | 'unreadable';

/** An error for people, without a secret: the failed operation, the repository, the reason, and the fix. */
export class RepositoryError extends Error {
  readonly trouble: RepositoryErrorCode;
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
  readonly trouble: RepositoryErrorCode;
  readonly repository: string;
  readonly cause?: unknown;
}

export const unknownCommit = (repository: string, commit: string): RepositoryError =>
  new RepositoryError(
    `${repository} has no commit ${commit} as far as it was fetched. Name one of the branch that is followed`,
    { trouble: 'unknown', repository },
  );

/** Git's messages, each with its fix. The first row that fits counts; git's texts are those of LC_ALL=C. */
const CURES: readonly (readonly [said: RegExp, next: string])[] = [
  [/could not resolve host/i, 'Is the host written right, and does this machine find it?'],
  [
    /could not read (?:username|password)|authentication failed|returned error: 40[13]/i,
    'Set SETPOINT_SECRET_GIT_TOKEN to a token that may read it.',
  ],
  [/host key verification failed/i, "Add the host's key to known_hosts of the user that this runs as."],
  [/permission denied/i, 'Give this user a key that may read it, in an ssh agent, or set SETPOINT_GIT_SSH_COMMAND.'],
  [/couldn't find remote ref|no such ref/i, 'Is the branch there? Name it with --branch.'],
  [/redirect|returned error: 30\d/i, 'Redirects are not followed: give the address that it leads to.'],
  [/dubious ownership/i, 'It belongs to another user: run this as that user.'],
  [/certificate|ssl/i, 'Set SETPOINT_GIT_CA_FILE to the certificates of your own authority, if it has one.'],
  [
    /not found|does not (?:exist|appear to be)|returned error: 404|no such file/i,
    'Is the address right, and may this user read it?',
  ],
  [
    /fsck|bad object|invalid|malformed|not valid/i,
    'Its history holds an object that git does not accept: `git fsck` there names it.',
  ],
  [/no space left/i, 'Make room on the disk of the mirrors.'],
  [/unknown (?:option|switch)/i, 'git 2.36 or newer is needed.'],
  [/timed out|connection|unreachable|early eof|hung up/i, 'It is asked again; look whether the server answers.'],
];

const ENDED: Readonly<Record<NonNullable<GitResult['why']>, string>> = {
  aborted: 'it was called off',
  'too long': 'it took too long',
  'too much': 'it answered with more than is read',
  'not installed': 'git cannot be started: is it installed, and on the PATH?',
};

/**
 * The reason and the fix of a failed run of git, in a line or two, without the credentials in `env` and without characters that
 * a terminal would obey.
 */
export function gitErrorMessage({ why, stderr, code }: GitResult, env: Readonly<Record<string, string>>): string {
  if (why !== undefined) return ENDED[why];
  const lines = masked(stderr, env)
    .split('\n')
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim())
    .filter((line) => line !== '' && !/^hint:/.test(line));
  const line =
    lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines[0] ?? `git ended with ${code ?? 'a signal'}`;
  const all = lines.join('\n');
  const next = CURES.find(([said]) => said.test(all))?.[1];
  const text = line.replace(/^(?:fatal|error): /, '').slice(0, 300);
  return next === undefined ? text : `${text}. ${next}`;
}

function masked(text: string, env: Readonly<Record<string, string>>): string {
  const hidden = text.replaceAll(/\/\/[^/@\s]+@/g, '//***@').replaceAll(/(authorization:).*/gi, '$1 ***');
  return secretsOf(env).reduce((shown, secret) => shown.replaceAll(secret, '***'), hidden);
}

/** A server may repeat what it was given. */
function secretsOf(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(env).flatMap((value) => {
    const coded = /^Authorization: Basic (.+)$/.exec(value)?.[1];
    const pair = coded === undefined ? '' : Buffer.from(coded, 'base64').toString();
    return coded === undefined ? [] : [coded, pair, pair.slice(pair.indexOf(':') + 1)];
  });
}
