import type { Standing } from '../action.ts';
import type { Desired } from '../desired.ts';
import { diff } from '../diff.ts';
import type { Applied, Knowledge } from '../knowledge.ts';
import { compareText } from '../text-order.ts';
import type { Decision } from './decide.ts';
import type { World } from './world.ts';

/**
 * What stands as it is wanted while the store knows something else as applied, or nothing: a person was faster, or it was taken
 * over. Nothing is sent for it, and yet from now on what differs there is drift.
 */
export function standingOf(
  desired: readonly Desired[],
  decisions: readonly Decision[],
  { input: { knowledge }, ours }: World,
): readonly Standing[] {
  if (knowledge.store === undefined) return [];
  const busy = busyAddresses(decisions, knowledge);
  const standing = desired.flatMap((one): readonly Standing[] => {
    const { address, attributes, terms } = one;
    const [present] = ours.get(address) ?? [];
    if (present === undefined || busy.has(address)) return [];
    if ((terms.presence ?? 'stated') !== 'stated' || present.observed.condition.state !== 'ready') return [];
    const documents = one.documents.map((document) => document.address).toSorted();
    const applied = knowledge.applied.get(address);
    if (applied !== undefined && isSame(applied, { attributes, documents })) return [];
    return [{ id: present.observed.id, address, attributes, documents }];
  });
  return standing.toSorted((a, b) => compareText(a.address, b.address));
}

function busyAddresses(decisions: readonly Decision[], { pending }: Knowledge): ReadonlySet<string> {
  const decided = decisions.flatMap((decision) => ('address' in decision ? [decision.address] : []));
  return new Set([...decided, ...pending.map(({ address }) => address)]);
}

/** Whatever one of them states, the other states alike. */
const isSame = (applied: Applied, now: Pick<Standing, 'attributes' | 'documents'>): boolean =>
  diff(now.attributes, applied.attributes).length === 0 &&
  diff(applied.attributes, now.attributes).length === 0 &&
  now.documents.join('\n') === (applied.documents ?? []).toSorted().join('\n');
