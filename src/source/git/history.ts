import { gitEnvironment, gitSettings } from './git-environment.ts';
import { commitAt, mirrorAt } from './mirror.ts';
import { fullName } from './refs.ts';
import { gitFailure, type RepositoryContext } from './repository-context.ts';
import { type RepositoryError, unknownCommit } from './repository-error.ts';
import { gitLimits } from './run-git.ts';

/**
 * A merge brings all that came with it. A `from` that the mirror does not hold is no ancestor, as the mirror holds the whole
 * history of what it holds.
 */
export async function commitsSince(
  context: RepositoryContext,
  from: string,
  to: string,
): Promise<readonly string[] | undefined> {
  const { mirror, url } = context;
  const [before, after] = [fullName(from), fullName(to)];
  if ((await commitAt(context, after)) === undefined) throw unknownCommit(url.name, after);
  if ((await commitAt(context, before)) === undefined) return undefined;
  const ancestry = await mirror.git(['merge-base', '--is-ancestor', before, after], gitLimits.local());
  if (ancestry.code === 1) return undefined;
  if (ancestry.code !== 0) throw unreadable(context, ancestry);
  const list = await mirror.git(
    ['rev-list', '--reverse', '--topo-order', after, `^${before}`, '--'],
    gitLimits.local(),
  );
  if (list.code !== 0) throw unreadable(context, list);
  return list.stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

function unreadable(context: RepositoryContext, end: Parameters<typeof gitFailure>[3]): RepositoryError {
  context.state.suspect = true;
  return gitFailure(context, 'unreadable', 'read the history', end);
}

/** `names`: e-mail addresses, as the commits claim them. `more`: not all could be read, or somebody has none. */
interface CommitAuthors {
  readonly names: readonly string[];
  readonly more: boolean;
}

interface Commits {
  /** A bare mirror's folder. */
  readonly mirror: string;
  /** Its commits are left out; absent: none are. */
  readonly from?: string;
  readonly to: string;
}

/** As `Author <…>`, `Committer <…>` and `Co-authored-by: … <…>` say it; no mailmap, which is the author's to write. */
const format = '%x00%ae%n%ce%n%(trailers:key=Co-authored-by,valueonly,unfold)';

/** An address has no more: https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1 */
const mostLength = 320;
const mostNames = 5_000;

/**
 * The authors of the commits that `to` has and `from` has not, as they claim: a merge brings all of its commits. Where `from`
 * does not exist any more all of `to` counts. Never rejects: an unreadable author is among `more`.
 */
export async function authorsOf({ mirror: folder, from, to }: Commits): Promise<CommitAuthors> {
  const env = gitEnvironment(folder, { isFile: true }, { PATH: process.env['PATH'] }, gitSettings);
  const { git } = mirrorAt(folder, env);
  const isThere = async (commit: string): Promise<boolean> =>
    (await git(['cat-file', '-e', `${fullName(commit)}^{commit}`], gitLimits.local())).code === 0;
  const without = from !== undefined && (await isThere(from)) ? [`^${fullName(from)}`] : [];
  const log = ['log', '--no-color', '--no-notes', `--format=${format}`, fullName(to), ...without, '--'];
  const { code, stdout } = await git(log, gitLimits.local());
  const commits = stdout.toString('utf8').split('\0').slice(1);
  const lines = commits.map((commit) => commit.split('\n'));
  const names = new Set(lines.flatMap((said) => said.flatMap(addressIn)));
  // why: who leaves the address out is an author all the same, and may be anybody
  const nameless = lines.some((said) => said.slice(0, 2).some((line) => addressIn(line).length === 0));
  return { names: [...names].slice(0, mostNames), more: code !== 0 || nameless || names.size > mostNames };
}

/** `ada@acme.example`, also out of `Ada <ada@acme.example>`. */
function addressIn(line: string): readonly string[] {
  const address = (/<([^<>]*)>\s*$/.exec(line)?.[1] ?? line).replaceAll(/[\p{Cc}\ufffd]/gu, '').trim();
  return address === '' ? [] : [address.slice(0, mostLength)];
}
