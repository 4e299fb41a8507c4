import { covers, encloses, reaches } from '../core/access/grant.ts';
import type { PlanReader } from '../ports/answers.ts';
import type { ProposalHead } from '../ports/proposals.ts';

/**
 * Who sees all of an estate sees every plan of it. Others see what they asked for themselves, where all that it was made of still
 * lies within what they may read: a plan does not outlive the rights that it was made with.
 */
export function seesPlan({ estate, by, seen }: ProposalHead, asker: PlanReader): boolean {
  if (asker.reads.some((bounds) => covers(bounds, { estate }))) return true;
  if (by.caller !== asker.by.caller || seen === undefined) return false;
  const told = seen.filter((one) => reaches(one, estate)).map((one) => ({ ...one, estates: [estate] }));
  return told.length > 0 && told.every((inner) => asker.reads.some((outer) => encloses(outer, inner)));
}
