import { badInput } from './problems.ts';
import { Refusal } from './refusal.ts';
import { type When, whenField } from './when.ts';

export const asOfField = whenField('As it was then');

/** The caller's clock may be ahead of ours by so much, ms. */
const leeway = 60_000;

/** As a part of a question. Refuses what is still to come: the answer would be of now, and look like one of then. */
export function asOfPart(asked: When | undefined, now: number): { readonly asOf?: number } {
  if (asked === undefined) return {};
  const asOf = asked(now);
  if (asOf > now + leeway) throw new Refusal(badInput([{ in: 'query', at: 'asOf', expected: 'a time that has been' }]));
  return { asOf };
}
