import type { Binding } from './access-document.ts';
import { bareGrant } from './bare-grant.ts';
import type { Grant } from './grant.ts';
import { isSamePerson } from './same-person.ts';

/** Who somebody is at one issuer, as far as that is proven. */
export interface Known {
  readonly issuer: string;
  readonly subject: string;
  /** The claim that people are bound by; absent: not proven. */
  readonly person?: string;
  readonly groups: readonly string[];
}

/** What the bindings give to somebody. Groups and subjects are compared to the letter. */
export const boundGrants = (known: Known, bindings: readonly Binding[]): readonly Grant[] =>
  bindings.filter(({ who }) => isMeant(who, known)).map(bareGrant);

function isMeant(who: Binding['who'], { issuer, subject, person, groups }: Known): boolean {
  if (who.issuer !== undefined && who.issuer !== issuer) return false;
  if (who.person !== undefined) return person !== undefined && isSamePerson(who.person, person);
  if (who.group !== undefined) return groups.includes(who.group);
  return who.subject === subject;
}
