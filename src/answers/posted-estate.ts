import { setImmediate as breath } from 'node:timers/promises';
import type { Problem } from '../core/documents/problem.ts';
import { refusalsOf } from '../core/trust.ts';
import { asInForce } from '../estate/proposal.ts';
import type { Posted } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import type { Told } from '../ports/proposals.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Estate } from './estate.ts';
import type { Grounds, Opened } from './opened.ts';

/**
 * What would be in force with specs that somebody posted who need not be trusted: refused where they are not sound, or reach for
 * more than those in force do.
 */
export async function postedEstate(posted: Posted, inForce: Opened, grounds: Grounds): Promise<Estate> {
  const tree = await grounds.posted.read(posted, inForce.estate.tree);
  const errors = tree.problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    throw unsound('The specs are not sound, so nothing is planned from them: see `problems`.', errors);
  await breath();
  const refusals = refusalsOf(inForce.estate.tree.documents, tree.documents);
  if (refusals.length > 0) throw unsound(untrusted, refusals);
  await breath();
  return estateOf(tree, inForce, grounds);
}

/** Where and with which targets the specs in force say, whatever these do. */
export async function estateOf(tree: SpecTree, inForce: Opened, { posted }: Grounds): Promise<Estate> {
  const opened = await posted.open(tree);
  await breath();
  return { ...opened, dir: '', scopes: asInForce(opened.compiled.scopes, inForce.estate.compiled.scopes) };
}

const untrusted =
  'The proposal reaches for more than the specs in force do, so nothing is planned from it: see `problems`. Take these changes out, or have somebody you trust put them on the branch that is followed first.';

const unsound = (message: string, problems: readonly Problem[]): Declined =>
  new Declined('unsound', message, { problems: problems.slice(0, most).map(toldOf).map(flat) });

const most = 200;

/** Without the line it stands on: the answer is kept, and read by others. */
export const toldOf = ({ severity, code, at, message, hint }: Problem): Told => ({
  severity,
  code,
  at,
  message,
  ...(hint === undefined ? {} : { hint }),
});

const flat = ({ at, hint, ...told }: Told) => ({ ...told, ...at, ...hint });
