import type { Posted } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { commitRules } from '../source/git/commit-rules.ts';
import { keptSource } from '../source/kept-source.ts';
import { folderRevision, loadTree } from '../source/load.ts';
import { parseSpecsAside, TooSlow } from '../source/parse-thread.ts';
import { proposedTree, teamsInForce } from '../source/proposed-tree.ts';
import type { SpecFile } from '../source/spec-file.ts';

/** Of the processor's time that a stranger's specs may have, ms. */
const mostMs = 5_000;

/** What would be in force with specs that were posted for one repository, read with the overlay in force. Held to what a commit is. */
export async function postedSpecs(
  { specs, userData, team }: Posted,
  inForce: SpecTree,
  today: string,
): Promise<SpecTree> {
  if (team !== undefined && !teamsInForce(inForce).includes(team))
    throw new Declined('unsound', 'There is no such team in force: name one of `teams`, or none.', {
      teams: teamsInForce(inForce),
    });
  const scripts = userData.map(
    ({ path, base64 }) => [path, { bytes: Buffer.from(base64, 'base64'), sha256: '' }] as const,
  );
  const source = keptSource({ files: specs, userData: new Map(scripts) });
  const { overlay } = inForce;
  const parse = (files: readonly SpecFile[]) => parseSpecsAside(files, today, mostMs);
  const loading = { today, parse, rules: commitRules, ...(overlay === undefined ? {} : { overlay }) };
  const loaded = await loadTree(proposedTree(source, inForce, team), loading).catch(slow);
  return { ...loaded, revision: folderRevision(loaded) };
}

function slow(error: unknown): never {
  if (!(error instanceof TooSlow)) throw error;
  throw new Declined(
    'unsound',
    `Reading these specs takes more than ${mostMs / 1000} s of the processor: post less, or plan them by: setpoint plan --proposal`,
  );
}
