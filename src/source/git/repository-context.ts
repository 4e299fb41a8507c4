import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { gitEnvironment } from './git-environment.ts';
import type { Guards } from './guards.ts';
import { freshState, type Mirror, type MirrorState, mirrorAt, mirrorFolder } from './mirror.ts';
import { type NameRule, refusedName } from './refs.ts';
import { gitErrorMessage, RepositoryError, type RepositoryErrorCode } from './repository-error.ts';
import { type RepositoryUrl, readRepositoryUrl } from './repository-url.ts';
import type { GitResult } from './run-git.ts';

/** The context that the parts of a repository share. */
export interface RepositoryContext {
  readonly url: RepositoryUrl;
  readonly branch: string;
  /** '' for all of it. */
  readonly path: string;
  readonly mirror: Mirror;
  readonly guards: Guards;
  readonly state: MirrorState;
}

type GuardedOptions = RepositoryOptions & { readonly guards: Guards };

export function openRepositoryContext(options: GuardedOptions): RepositoryContext {
  const { guards, env, branch = 'main' } = options;
  if (!isAbsolute(options.folder)) throw new RangeError('the folder of mirrors is an absolute path');
  const { url, refused } = readRepositoryUrl(options.url, options.allowFile ?? false, guards.urls);
  if (refused !== undefined)
    throw new RepositoryError(`the repository is not opened: ${refused}`, {
      trouble: 'refused',
      repository: 'a repository',
    });
  const badBranch = refusedName(branch, guards.names);
  if (badBranch !== undefined) throw refuse(url, `the name of the branch ${badBranch}`);
  const folder = mirrorFolder(options.folder, url.url);
  const variables = gitEnvironment(
    folder,
    { isFile: url.scheme === 'file', token: tokenFor(url, options) },
    env,
    guards.house,
  );
  return {
    url,
    branch,
    path: pathOf(url, options.path ?? '', guards.paths),
    mirror: mirrorAt(folder, variables),
    guards,
    state: freshState(options.now),
  };
}

const refuse = (url: RepositoryUrl, why: string): RepositoryError =>
  new RepositoryError(`${url.name} is not opened: ${why}`, { trouble: 'refused', repository: url.name });

function tokenFor(url: RepositoryUrl, { env, tokenHost = url.host }: RepositoryOptions) {
  const value = env['SETPOINT_SECRET_GIT_TOKEN'];
  if (!value || url.scheme !== 'https' || url.host !== tokenHost) return undefined;
  if (/[\p{Cc}]/u.test(value)) throw refuse(url, 'SETPOINT_SECRET_GIT_TOKEN is one line without an end');
  return { value, url: `https://${url.host}/` };
}

function pathOf(url: RepositoryUrl, path: string, rules: readonly NameRule[]): string {
  if (path === '' || path === '.') return '';
  const plain = path.replace(/\/$/, '');
  const bad = refusedName(plain, rules);
  if (bad !== undefined) throw refuse(url, `the name of the folder of its specs ${bad}: give one in it, such as specs`);
  return plain;
}

/** The branch's head at its last fetch. */
export const trackedRef = (branch: string): string => `refs/setpoint/tracked/${hashOf(branch)}`;

/** Any other ref that was fetched by its name. */
export const namedRef = (ref: string): string => `refs/setpoint/named/${hashOf(ref)}`;

/** A name of any length and signs in a name that git takes, none of which is the beginning of another. */
const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

/** A failed run of git, as an error for people: "cannot fetch the branch main of https://…: why. What next". */
export function gitFailure(
  context: RepositoryContext,
  trouble: RepositoryErrorCode,
  what: string,
  end: GitResult,
): RepositoryError {
  const { url, mirror } = context;
  return new RepositoryError(`cannot ${what} of ${url.name}: ${gitErrorMessage(end, mirror.env)}`, {
    trouble,
    repository: url.name,
  });
}

export interface RepositoryPlace {
  /** https://host/path, ssh://git@host/path, git@host:path; with `allowFile` also file:///path and /path. */
  readonly url: string;
  /** Default: main. */
  readonly branch?: string;
  /** The folder that its specs lie in. Default, and `.`: all of it. */
  readonly path?: string;
}

export interface RepositoryOptions extends RepositoryPlace {
  /** The folder of mirrors, each in a folder of its own. */
  readonly folder: string;
  /** Allows repositories of this machine, and servers at addresses of this machine and its network. */
  readonly allowFile?: boolean;
  /** Of it git sees what `git-environment` lists, and SETPOINT_SECRET_GIT_TOKEN, SETPOINT_GIT_SSH_COMMAND, SETPOINT_GIT_CA_FILE. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only host, with its port, that the token is sent to. Default: the address's own. */
  readonly tokenHost?: string;
  readonly guards?: Guards;
  /** Milliseconds since the epoch; by it what failed is left alone for a while. Default: the machine's clock. */
  readonly now?: () => number;
}
