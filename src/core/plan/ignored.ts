import type { Observed } from '../observed.ts';
import { isGlobOf } from '../text.ts';
import { type Claimed, claim } from './claim.ts';
import type { IgnoreTerms, IgnoreUnmanaged, PlanInput } from './plan-input.ts';
import { type World, worldOf } from './world.ts';

/**
 * The entry that leaves an object out of the findings, if any. It only reports less, and only of what nobody marked:
 *
 *   object                                        | ignored
 *   ----------------------------------------------+--------------------------------
 *   ours, also a rule that somebody added to it   | never
 *   with a mark: another estate's, store's, a copy | never
 *   that a document adopts, and the rules in it   | never
 *   any other                                     | if an entry matches it, or what it is in
 */
export function ignoringUnmanaged({ input, adopted, byId }: World): (one: Claimed) => IgnoreTerms | undefined {
  const entries = (input.wanted.ignoreUnmanaged ?? []).map((entry) => ({ entry, matches: matcherOf(entry) }));
  if (entries.length === 0) return () => undefined;
  return ({ observed, claim }) => {
    const { mark, container = '' } = observed.signs;
    if (claim.by !== 'nobody' || claim.copied || claim.unrecorded !== undefined || mark !== undefined) return undefined;
    if (adopted.has(observed.id) || adopted.has(container)) return undefined;
    return entries.find(({ matches }) => matches(observed, byId.get(container)?.observed))?.entry;
  };
}

/** The number of ignored objects in a scope. */
export function ignoredIn(input: PlanInput): number {
  if (input.wanted.ignoreUnmanaged === undefined) return 0;
  const world = worldOf(input, claim(input.observation.resources, input));
  const ignored = ignoringUnmanaged(world);
  return world.claimed.filter((one) => ignored(one) !== undefined).length;
}

export const ignoredText = ({ owner, reason, until }: IgnoreTerms): string =>
  `Ignored until ${until} for ${owner}: ${reason}`;

type Matcher = (observed: Observed, container: Observed | undefined) => boolean;

/** A rule in a container has neither a name nor labels: it matches by those of its container, too. */
function matcherOf({ kind, id, name, label, origin }: IgnoreUnmanaged): Matcher {
  const wanted = origin?.toLowerCase();
  const fits = ({ signs, attributes, ...one }: Observed): boolean =>
    (id === undefined || one.id === id) &&
    (name === undefined || isGlobOf(name, one.name)) &&
    (label === undefined || hasLabel(attributes, label)) &&
    (wanted === undefined || signs.origin?.maker?.toLowerCase() === wanted || signs.origin?.why === wanted);
  return (observed, container) =>
    (kind === undefined || observed.kind === kind) && (fits(observed) || (container !== undefined && fits(container)));
}

function hasLabel(attributes: Observed['attributes'], label: string): boolean {
  const cut = label.indexOf('=');
  const key = cut < 0 ? label : label.slice(0, cut);
  if (!('labels' in attributes) || !Object.hasOwn(attributes.labels, key)) return false;
  return cut < 0 || attributes.labels[key] === label.slice(cut + 1);
}
