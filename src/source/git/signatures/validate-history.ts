import type { EstateDoc } from '../../../core/documents/document.ts';
import { type GitRevision, parseGitRevision } from '../refs.ts';
import type { Repository } from '../repository.ts';
import { verifyCommits } from './verify-commits.ts';

/** The verdict on a revision. `why`: for people, with the next step; '' where it may become active. */
interface HistoryVerdict {
  readonly state: 'followed' | 'unsigned' | 'rewritten';
  readonly why: string;
}

/** The active specs: the revision, if any, and the signers that later commits need. */
interface HistoryBefore {
  readonly revision?: string;
  readonly signatures?: EstateDoc['spec']['signatures'];
  /** A person accepted that the active revision is no ancestor. */
  readonly mayRewrite: boolean;
}

interface Histories {
  /** Of a team; absent: the estate's own. Undefined: it is not followed. */
  repository(team?: string): Repository | undefined;
  /** 2027-01-31 */
  readonly today: string;
}

/**
 * Each repository of a revision must descend from its active commit, and each commit since then be signed, where the active
 * generation requires it. Of a new repository, and of a history that a person accepted, only the head is checked.
 */
export async function validateHistory(
  head: string,
  before: HistoryBefore,
  histories: Histories,
): Promise<HistoryVerdict> {
  const to = parseGitRevision(head);
  if (to === undefined) throw new Error(`${head} is no revision of a repository`);
  const from = before.revision === undefined ? undefined : parseGitRevision(before.revision);
  for (const move of movesOf(from, to)) {
    const verdict = await judgeMove(move, before, histories);
    if (verdict.state !== 'followed') return verdict;
  }
  return followed;
}

const followed: HistoryVerdict = { state: 'followed', why: '' };

interface Move {
  readonly team?: string;
  readonly from: string | undefined;
  readonly to: string;
}

const movesOf = (from: GitRevision | undefined, to: GitRevision): readonly Move[] =>
  [
    { from: from?.root, to: to.root },
    ...[...to.teams].map(([team, commit]) => ({ team, from: from?.teams.get(team), to: commit })),
  ].filter((move) => move.from !== move.to);

async function judgeMove(
  { team, from, to }: Move,
  { signatures, mayRewrite }: HistoryBefore,
  { repository, today }: Histories,
): Promise<HistoryVerdict> {
  const place = repository(team);
  if (place === undefined) throw new Error(`the repository of ${team ?? 'the estate'} is not followed`);
  const since = from === undefined ? [to] : await place.since(from, to);
  if (since === undefined && !mayRewrite) return rewritten(place.name, from ?? '', to);
  if (signatures?.required !== true) return followed;
  const judged = await verifyCommits(place.mirror, since ?? [to], signatures.signers, { today });
  return judged.ok ? followed : { state: 'unsigned', why: `${place.name}: ${judged.why}` };
}

const rewritten = (name: string, from: string, to: string): HistoryVerdict => ({
  state: 'rewritten',
  why: `${name}: ${from.slice(0, 12)}, which is active, is no ancestor of ${to.slice(0, 12)}. To accept that: setpoint approve --history ${to.slice(0, 12)} --reason "…"`,
});
