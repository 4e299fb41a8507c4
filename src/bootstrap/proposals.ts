import { resolve } from 'node:path';
import type { ProposalSource } from '../cli/context.ts';
import { Declined, type Posted } from '../ports/queries.ts';
import type { SpecTree } from '../ports/sources.ts';
import { folderTree } from '../source/folder.ts';
import { commitRules } from '../source/git/guards.ts';
import { readOwnCommit } from '../source/git/load-commit.ts';
import { gitRevision, parseGitRevision } from '../source/git/refs.ts';
import { openRepository } from '../source/git/repository.ts';
import { activeTeams, proposedTree } from '../source/git/team-trees.ts';
import { folderRevision, loadTree } from '../source/load.ts';
import { ParseTimeout, parseSpecsInThread } from '../source/parse-thread.ts';
import { storedSource } from '../source/stored-tree.ts';
import { type SpecFile, type TreeRules, type TreeSource, treeRules } from '../source/tree.ts';

export interface ProposalGrounds {
  /** 2027-01-31 */
  readonly today: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The specs with a proposal applied, under the active overlay. Only the proposal's own repository is read. */
export async function proposedSpecs(
  place: ProposalSource,
  active: SpecTree,
  { today, env }: ProposalGrounds,
): Promise<SpecTree> {
  const { team } = place;
  const teams = activeTeams(active);
  if (team !== undefined && !teams.includes(team))
    throw new Error(
      `the active specs have no team ${team}; ${teams.length === 0 ? 'they have none' : `they have: ${teams.join(', ')}`}`,
    );
  const { overlay } = active;
  return reading(place, env, async ({ tree, rules, commit }) => {
    const loading = { today, rules, overlay };
    const loaded = await loadTree(proposedTree(tree, active, team), loading);
    return { ...loaded, revision: revisionOf(commit, active, team) ?? folderRevision(loaded) };
  });
}

interface Reading {
  readonly tree: TreeSource;
  readonly rules: TreeRules;
  /** Absent: a folder. */
  readonly commit?: string;
}

type Work = (reading: Reading) => Promise<SpecTree>;

async function reading(place: ProposalSource, env: ProposalGrounds['env'], work: Work): Promise<SpecTree> {
  const { dir, ref, repository: asked } = place;
  if (ref === undefined) return work({ tree: folderTree(dir), rules: treeRules });
  if (asked === undefined)
    return readOwnCommit(dir, ref, env, ({ commit, tree, rules }) => work({ tree, rules, commit: commit.id }));
  const { url, path, allowLocal, folder } = asked;
  const repository = openRepository({ url, path, allowFile: allowLocal, folder: resolve(folder), env });
  const commit = await repository.resolve(ref);
  return repository.read(commit, ({ tree, rules }) => work({ tree, rules, commit }));
}

function revisionOf(commit: string | undefined, { revision, overlay }: SpecTree, team?: string): string | undefined {
  if (commit === undefined) return undefined;
  const { root = commit, teams = new Map<string, string>() } = parseGitRevision(revision) ?? {};
  return team === undefined
    ? gitRevision({ root: commit, teams, overlay })
    : gitRevision({ root, teams: new Map([...teams, [team, commit]]), overlay });
}

/** Of the processor's time that a stranger's specs may have, ms. */
const mostMs = 5_000;

/** The specs with posted files applied to one repository, under the active overlay. The checks of a commit apply. */
export async function postedSpecs(
  { specs, userData, team }: Posted,
  active: SpecTree,
  today: string,
): Promise<SpecTree> {
  if (team !== undefined && !activeTeams(active).includes(team))
    throw new Declined('unsound', 'The active specs have no such team. Name one of `teams`, or none.', {
      teams: activeTeams(active),
    });
  const scripts = userData.map(
    ({ path, base64 }) => [path, { bytes: Buffer.from(base64, 'base64'), sha256: '' }] as const,
  );
  const source = storedSource({ files: specs, userData: new Map(scripts) });
  const { overlay } = active;
  const parse = (files: readonly SpecFile[]) => parseSpecsInThread(files, today, mostMs);
  const loading = { today, parse, rules: commitRules, overlay };
  const loaded = await loadTree(proposedTree(source, active, team), loading).catch(slow);
  return { ...loaded, revision: folderRevision(loaded) };
}

function slow(error: unknown): never {
  if (!(error instanceof ParseTimeout)) throw error;
  throw new Declined(
    'unsound',
    `Reading these specs takes more than ${mostMs / 1000} s of processor time. Send fewer specs, or plan them with: setpoint plan --proposal`,
  );
}
