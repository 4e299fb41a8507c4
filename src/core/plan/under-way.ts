import type { Action, Verb } from '../action.ts';
import type { Knowledge, PendingIntent } from '../knowledge.ts';
import type { Address } from '../resource.ts';

/**
 * Tells of these actions which one an open intent stands for: that took its place in the limits when it was intended, and whoever
 * intends it again takes no other.
 */
export function underWay(actions: readonly Action[], known: readonly OpenIntents[]): (action: Action) => boolean {
  const intents = known.flatMap(({ pending, again = [] }) => [...pending, ...again]);
  if (intents.length === 0) return () => false;
  const open = new Set(intents.map(({ verb, address }) => keyOf(verb, address)));
  const isBegun = ({ verb, address }: Action): boolean => sentAs[verb].some((sent) => open.has(keyOf(sent, address)));
  const begun = new Set(actions.filter(isBegun).map(subjectOf));
  return (action) => begun.has(subjectOf(action));
}

type OpenIntents = Pick<Knowledge, 'pending' | 'again'>;

const keyOf = (verb: PendingIntent['verb'], address: Address): string => `${verb} ${address}`;

/** What each is intended as; both halves of a replacement share its place. */
const sentAs: Readonly<Record<Verb, readonly PendingIntent['verb'][]>> = {
  create: ['create'],
  update: ['update'],
  replace: ['create', 'delete'],
  delete: ['delete'],
  adopt: ['adopt'],
  forget: ['forget'],
};

/** What has one place in the count: all atoms of a document together. */
const subjectOf = ({ verb, kind, address, documents }: Action): string =>
  keyOf(
    verb === 'replace' ? 'create' : verb,
    (kind === 'firewall-rule' ? documents[0]?.address : undefined) ?? address,
  );
