import { bounds } from './bounds.ts';
import { fullName } from './full-name.ts';
import { gitEnvironment, gitHouse } from './git-environment.ts';
import { mirrorAt } from './mirror.ts';

/** `names`: e-mail addresses, as the commits claim them. `more`: not all could be read, or somebody has none. */
export interface CommitAuthors {
  readonly names: readonly string[];
  readonly more: boolean;
}

export interface Commits {
  /** A bare mirror's folder. */
  readonly mirror: string;
  /** What it has is left out; absent: nothing is. */
  readonly from?: string;
  readonly to: string;
}

/** As `Author <…>`, `Committer <…>` and `Co-authored-by: … <…>` say it; no mailmap, which is the author's to write. */
const format = '%x00%ae%n%ce%n%(trailers:key=Co-authored-by,valueonly,unfold)';

/** An address has no more: https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1 */
const mostLength = 320;
const mostNames = 5_000;

/**
 * Who made the commits that `to` has and `from` has not, as they claim: a merge brings all that came with it. Where `from` is not
 * there any more all of `to` counts. Never rejects: who cannot be read is among `more`.
 */
export async function authorsOf({ mirror: folder, from, to }: Commits): Promise<CommitAuthors> {
  const env = gitEnvironment(folder, { isFile: true }, { PATH: process.env['PATH'] }, gitHouse);
  const { git } = mirrorAt(folder, env);
  const isThere = async (commit: string): Promise<boolean> =>
    (await git(['cat-file', '-e', `${fullName(commit)}^{commit}`], bounds.local())).code === 0;
  const without = from !== undefined && (await isThere(from)) ? [`^${fullName(from)}`] : [];
  const log = ['log', '--no-color', '--no-notes', `--format=${format}`, fullName(to), ...without, '--'];
  const { code, stdout } = await git(log, bounds.local());
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
