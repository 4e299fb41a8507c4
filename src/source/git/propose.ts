import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { proposalBot } from '../../core/access/person.ts';
import type { BranchProposal, ChangedFile, ProposedBranch } from '../../ports/sources.ts';
import { gitEnvironment } from './git-environment.ts';
import { refusedName } from './refs.ts';
import { gitErrorMessage, RepositoryError, type RepositoryErrorCode } from './repository-error.ts';
import { type GitLimits, type GitResult, gitLimits, runGit } from './run-git.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface ProposeOptions {
  readonly env: Environment;
  readonly signal?: AbortSignal;
}

/**
 * Commits changed files on top of HEAD to a branch `setpoint/…`, and pushes this branch. The work tree, the index and the branch of the
 * user stay as they are.
 *
 * - The author is a bot, and the user is a co-author: neither may approve the change. The commit bears no signature.
 * - It pushes to `refs/heads/setpoint/…` only, and never by force.
 * - No hook runs, and git asks no question.
 * - The same change on the same commit is the same commit, and thus the same branch.
 *
 * Rejects with a `RepositoryError`. A commit whose push failed stays in the local branch.
 */
export async function proposeBranch(proposal: BranchProposal, options: ProposeOptions): Promise<ProposedBranch> {
  const place = await openPlace(proposal.dir, options);
  const remote = await remoteUrl(place, proposal.remote);
  const author = await userOf(place);
  const base = await headOf(place);
  const entries = await Promise.all(proposal.files.map((file) => entryOf(file, place)));
  const tree = await treeWith(entries, place);
  const commit = await commitTree({ tree, base, author, message: proposal.message }, place);
  const branch = `${proposalBranches}${proposal.topic}-${commit.slice(0, 12)}`;
  const ref = `refs/heads/${branch}`;
  if (!/^refs\/heads\/setpoint\/[a-z]+-[0-9a-f]{12}$/.test(ref)) throw new RangeError(`no branch of proposals: ${ref}`);
  await succeed(place.git(['update-ref', '--no-deref', ref, commit]), place, 'keep the commit');
  const unpushed = await unpushedOf(place, proposal.remote, base);
  const said = await push({ remote: proposal.remote, commit, ref, branch }, place, options.signal);
  return { branch, commit, remote, ...said, unpushed };
}

/** The beginning of the branches that Setpoint may push. */
const proposalBranches = 'setpoint/';

/** The user's repository. */
interface Place {
  /** For people. */
  readonly name: string;
  /** The folder's path in it, with `/` at its end; '' for its root. */
  readonly prefix: string;
  /** Without any configuration of the user or the machine. */
  readonly git: (
    args: readonly string[],
    more?: { readonly input?: string; readonly env?: Environment },
  ) => Promise<GitResult>;
  /** With the configuration of the user: identity, credentials, proxies. */
  readonly ownGit: (args: readonly string[], bounds?: GitLimits) => Promise<GitResult>;
  readonly env: Readonly<Record<string, string>>;
}

async function openPlace(dir: string, { env, signal }: ProposeOptions): Promise<Place> {
  const folder = resolve(dir);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw failure(dir, 'unknown', `there is no folder ${dir}`);
  const own = ownEnvironment(env);
  const house = gitEnvironment(folder, { isFile: true }, env);
  const args = ['rev-parse', '--is-inside-work-tree', '--absolute-git-dir', '--show-toplevel', '--show-prefix'];
  const end = await runGit({ args, env: own, cwd: folder, bounds: gitLimits.ask(signal) });
  const [inside, gitDir = '', top = '', prefix = ''] = end.stdout.toString('utf8').split('\n');
  if (end.code !== 0 || inside !== 'true')
    throw failure(dir, 'unknown', `${dir} lies in no work tree of git: ${gitErrorMessage(end, own)}`);
  return {
    name: top,
    prefix,
    env: own,
    git: (more, { input, env: extra = {} } = {}) =>
      runGit({
        args: [`--git-dir=${gitDir}`, ...more],
        env: { ...house, GIT_LITERAL_PATHSPECS: '1', ...defined(extra) },
        cwd: top,
        ...(input === undefined ? {} : { input }),
        bounds: gitLimits.ask(signal),
      }),
    ownGit: (more, bounds = gitLimits.ask(signal)) => runGit({ args: more, env: own, cwd: top, bounds }),
  };
}

const defined = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Settings that hold whatever the user's configuration says. */
const fixed: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'commit.gpgSign': 'false',
  // why: an address that git guesses from the host is nobody's
  'user.useConfigOnly': 'true',
  'push.gpgSign': 'false',
  'push.followTags': 'false',
  'push.recurseSubmodules': 'no',
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

/** Variables of git that name a person or a way to a server. Others could lead to another repository or index. */
const passed = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$|^GIT_SSH|^GIT_SSL|^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/;

/** The user's own environment, without the secrets of Setpoint and of clouds, and without questions. */
function ownEnvironment(env: Environment): Readonly<Record<string, string>> {
  const own = Object.entries(defined(env)).filter(
    ([name]) =>
      (!name.startsWith('GIT_') || passed.test(name)) && !/^(?:SETPOINT|AWS|AZURE|GOOGLE|DATABASE|REDIS)_/.test(name),
  );
  const pairs = Object.entries(fixed).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(Object.keys(fixed).length),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  };
}

/** The address of a configured remote, for people. */
async function remoteUrl(place: Place, remote: string): Promise<string> {
  const bad = refusedName(remote);
  if (bad !== undefined) throw failure(place.name, 'refused', `the name of the remote ${bad}`);
  const end = await place.ownGit(['remote', 'get-url', '--push', '--', remote]);
  const url = end.stdout.toString('utf8').trim();
  if (end.code !== 0 || url === '')
    throw failure(
      place.name,
      'unknown',
      `${place.name} has no remote ${remote}. Name one of \`git remote\` with --remote`,
    );
  return url.replace(/\/\/[^/@\s]+@/, '//');
}

/** The user as a co-author. Without an address nobody could tell who may not approve. */
async function userOf(place: Place): Promise<string> {
  const end = await place.ownGit(['var', 'GIT_AUTHOR_IDENT']);
  const ident = /^(.*<[^<>\s]+@[^<>\s]+>) \d+ [+-]\d{4}$/.exec(end.stdout.toString('utf8').trim())?.[1];
  if (end.code === 0 && ident !== undefined) return ident;
  throw failure(
    place.name,
    'refused',
    'git has no name and e-mail address of you, and a proposal names its author. Set them: git config user.name, git config user.email',
  );
}

async function headOf(place: Place): Promise<string> {
  const end = await place.git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (end.code !== 0) throw failure(place.name, 'unknown', `${place.name} has no commit yet. Commit the specs first`);
  return nameIn(end);
}

/** A full name of an object, by either hash that git knows. */
function nameIn(end: GitResult): string {
  const name = end.stdout.toString('latin1').trim();
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) return name;
  throw new RangeError(`no name of an object: ${name.slice(0, 100)}`);
}

/** An entry of an index. `blob` absent: the file goes. */
interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly blob?: string;
}

/** The committed file with the change. It must be the one that was read: other changes of the user are not proposed along. */
async function entryOf({ path: inSpecs, before, after }: ChangedFile, place: Place): Promise<Entry> {
  const path = `${place.prefix}${inSpecs}`;
  const listed = await succeed(place.git(['ls-tree', '-z', 'HEAD', '--', path]), place, `look for ${path}`);
  const [, mode, object] = /^(100\d{3}) blob ([0-9a-f]+)\t/.exec(listed.stdout.toString('utf8')) ?? [];
  if (before === undefined) {
    if (listed.stdout.length > 0)
      throw failure(
        place.name,
        'refused',
        `${path} is committed, and is missing in the folder. Restore it with: git checkout HEAD -- ':/${path}'`,
      );
    return { path, mode: '100644', blob: await blobOf(after ?? '', path, place) };
  }
  if (mode === undefined || object === undefined) {
    // why: a file that stays as it is need not be committed yet, and the branch is nothing without it
    if (before === after) return { path, mode: '100644', blob: await blobOf(before, path, place) };
    throw failure(place.name, 'refused', `${path} is not committed. Commit it first`);
  }
  const { stdout } = await succeed(place.git(['cat-file', 'blob', object]), place, `read ${path}`);
  const committed = new TextDecoder().decode(stdout);
  // why: git may keep another line end than the work tree has
  const unix = (text: string): string => text.replaceAll('\r\n', '\n');
  const isUnix = committed !== before && committed === unix(before);
  if (committed !== before && !isUnix)
    throw failure(place.name, 'refused', `${path} has changes that are not committed. Commit or stash them first`);
  if (after === undefined) return { path, mode };
  const mark = stdout.subarray(0, 3).toString('hex') === 'efbbbf' ? '\ufeff' : '';
  return { path, mode, blob: await blobOf(`${mark}${isUnix ? unix(after) : after}`, path, place) };
}

const blobOf = async (input: string, path: string, place: Place): Promise<string> =>
  nameIn(await succeed(place.git(['hash-object', '-w', '--stdin'], { input }), place, `keep ${path}`));

/** The tree of HEAD with these entries, by an index of its own. */
async function treeWith(entries: readonly Entry[], place: Place): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-propose-'));
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    await succeed(place.git(['read-tree', 'HEAD'], { env }), place, 'read the tree of HEAD');
    const none = '0'.repeat(40);
    const input = entries
      .map(({ path, mode, blob }) => (blob === undefined ? `0 ${none}\t${path}\0` : `${mode} ${blob}\t${path}\0`))
      .join('');
    await succeed(place.git(['update-index', '-z', '--index-info'], { env, input }), place, 'change the files');
    return nameIn(await succeed(place.git(['write-tree', '--missing-ok'], { env }), place, 'write the tree'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface CommitDraft {
  readonly tree: string;
  readonly base: string;
  /** `Ada <ada@acme.example>` */
  readonly author: string;
  readonly message: string;
}

/** Dated as its parent, so that the same change is the same commit. */
async function commitTree({ tree, base, author, message }: CommitDraft, place: Place): Promise<string> {
  const dated = await succeed(place.git(['show', '-s', '--format=%ct', base]), place, 'read HEAD');
  const date = `${dated.stdout.toString('latin1').trim()} +0000`;
  const { name, email } = proposalBot;
  const env = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
  const input = `${message.trimEnd()}\n\nCo-authored-by: ${author}\n`;
  const made = await succeed(
    place.git(['commit-tree', '--no-gpg-sign', '-p', base, tree], { env, input }),
    place,
    'commit',
  );
  return nameIn(made);
}

interface Pushed {
  readonly remote: string;
  readonly commit: string;
  readonly ref: string;
  readonly branch: string;
}

/** `url`: where a server offers to open a pull request. */
async function push(
  { remote, commit, ref, branch }: Pushed,
  place: Place,
  signal?: AbortSignal,
): Promise<{ readonly url?: string }> {
  const args = ['push', '--porcelain', '--no-verify', '--no-signed', '--', remote, `${commit}:${ref}`];
  const end = await place.ownGit(args, gitLimits.fetch(signal));
  if (end.code === 0) {
    const url = /^remote:.*?(https:\/\/[\x21-\x7e]+)/m.exec(end.stderr)?.[1];
    return url === undefined ? {} : { url };
  }
  const rejected = /^!\t\S+\t(.*)$/m.exec(end.stdout.toString('utf8'))?.[1];
  const why = rejected === undefined ? gitErrorMessage(end, place.env) : rejected.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
  throw failure(
    place.name,
    'away',
    `${remote} did not take the branch ${branch}: ${why}. The commit is kept in your local branch of this name: git push ${remote} ${branch}`,
  );
}

/** The number of commits of the user that the branch brings along; undefined where nobody knows. */
async function unpushedOf(place: Place, remote: string, base: string): Promise<number | undefined> {
  const end = await place.git(['rev-list', '--count', base, '--not', `--remotes=${remote}`]);
  return end.code === 0 ? Number(end.stdout.toString('latin1').trim()) : undefined;
}

async function succeed(run: Promise<GitResult>, place: Place, doing: string): Promise<GitResult> {
  const end = await run;
  if (end.code === 0) return end;
  throw failure(place.name, 'unreadable', `git could not ${doing}: ${gitErrorMessage(end, place.env)}`);
}

const failure = (repository: string, trouble: RepositoryErrorCode, message: string): RepositoryError =>
  new RepositoryError(message, { trouble, repository });
