import { seesAll } from '../core/access/grant.ts';
import type { Explanation } from '../core/inventory/ownership.ts';
import type { Address } from '../core/resource.ts';
import type { EstateAsked, Explained } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import { boundWithin } from './bound-within.ts';
import { explanationOf } from './explanation.ts';
import type { Planning } from './planning.ts';
import { seesAddress, seesScope } from './sight.ts';
import { type KeptSurvey, lookOf } from './survey-of.ts';

/** What is not there, and what lies outside of the asker's bounds, are the same. */
export async function explained(
  { of, ...asked }: EstateAsked & { readonly of: string },
  planning: Planning,
): Promise<Explained> {
  const survey = await planning.survey(asked);
  const isSeen = seenIn(survey, asked);
  const explanation = explanationOf(of, survey, (given, known) => addressIn(given, [...known].filter(isSeen)));
  if (!isShown(explanation, survey, asked)) throw unknown();
  const looks = survey.looked.filter((view) => seesScope(view, asked)).map(lookOf);
  return {
    bound: boundWithin(survey.bound, asked),
    looks: looks.filter(({ scope }) => holds(scope, explanation)),
    explanation,
  };
}

const unknown = (): Declined => new Declined('unknown', 'There is nothing here that you may see.');

const seenIn =
  ({ looked }: KeptSurvey, asked: EstateAsked) =>
  (address: Address): boolean =>
    looked.some((view) => address.startsWith(`${view.scope.scope}/`) && seesAddress(address, view, asked));

/** What is ours by its address; what is nobody's by the scope that it stands in. */
function isShown({ address, wanted, there }: Explanation, survey: KeptSurvey, asked: EstateAsked): boolean {
  if (wanted.length + there.length === 0) return false;
  if (seesAll(asked.seen, asked.estate) || seenIn(survey, asked)(address)) return true;
  const scopes = new Set(there.map(({ scope }) => scope));
  return survey.looked.some((view) => scopes.has(view.scope.scope) && seesAddress(address, view, asked));
}

/** Written whole, or any ending of it that is unique. */
function addressIn(given: string, known: readonly Address[]): Address {
  if (known.includes(given)) return given;
  const fits = known.filter((address) => address.endsWith(`/${given}`) || address.endsWith(`.${given}`));
  const [only] = fits;
  if (only === undefined) throw unknown();
  if (fits.length === 1) return only;
  throw new Declined('conflict', `That may be one of ${fits.length}: write one of \`addresses\` whole.`, {
    addresses: fits.slice(0, told),
  });
}

const told = 10;

const holds = (scope: string, { address, there }: Explanation): boolean =>
  address.startsWith(`${scope}/`) || there.some((one) => one.scope === scope);
