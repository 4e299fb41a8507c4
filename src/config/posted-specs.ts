import { setImmediate as breath } from 'node:timers/promises';
import type { Posted } from '../ports/answers.ts';
import type { Clock } from '../ports/clock.ts';
import { Declined } from '../ports/declined.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { commitRules } from '../source/git/commit-rules.ts';
import { keptSource } from '../source/kept-source.ts';
import { folderRevision, loadTree } from '../source/load.ts';
import { parseSpecs } from '../source/parse-specs.ts';
import { proposedTree, teamsInForce } from '../source/proposed-tree.ts';

/** Parsing holds up whatever else the process does: so long in all, and a breath between files. */
const mostMs = 2_000;

/** What would be in force with specs that were posted for one repository, read with the overlay in force. Held to what a commit is. */
export async function postedSpecs(
  { specs, userData, team }: Posted,
  inForce: SpecTree,
  { clock, today }: { readonly clock: Pick<Clock, 'now'>; readonly today: string },
): Promise<SpecTree> {
  if (team !== undefined && !teamsInForce(inForce).includes(team))
    throw new Declined('unsound', 'There is no such team in force: name one of `teams`, or none.', {
      teams: teamsInForce(inForce),
    });
  await refuseSlow(specs, today, clock);
  const scripts = userData.map(
    ({ path, base64 }) => [path, { bytes: Buffer.from(base64, 'base64'), sha256: '' }] as const,
  );
  const source = keptSource({ files: specs, userData: new Map(scripts) });
  const { overlay } = inForce;
  const loading = { today, rules: commitRules, ...(overlay === undefined ? {} : { overlay }) };
  const loaded = await loadTree(proposedTree(source, inForce, team), loading);
  return { ...loaded, revision: folderRevision(loaded) };
}

async function refuseSlow(specs: Posted['specs'], today: string, clock: Pick<Clock, 'now'>): Promise<void> {
  const began = clock.now();
  for (const file of specs) {
    parseSpecs([file], today);
    if (clock.now() - began > mostMs)
      throw new Declined(
        'unsound',
        `Reading these specs takes more than ${mostMs / 1000} s: post less, or plan them by: setpoint plan --proposal`,
      );
    await breath();
  }
}
