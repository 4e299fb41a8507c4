import type { DeletionPolicy } from '../../src/core/desired.ts';
import type { Mark } from '../../src/core/observed.ts';
import { ownPrefix, readTag, type Tags } from './tags.ts';

/**
 * Our mark and the user's labels, both as tags, written in the creating call.
 *
 *   tag                   | value
 *   ----------------------+------------------------------------------------------------
 *   setpoint:estate       | the estate that owns it
 *   setpoint:store        | the store that made it
 *   setpoint:address      | its address; a part's: that of what it is part of
 *   setpoint:address-more | what of it is beyond the 256 characters of a value
 *   setpoint:deletion     | retain or delete
 *   setpoint:intent       | the intent that made it, and
 *   setpoint:attempt      | which try of it
 *   setpoint:part         | of a part: nsg, network-interface, public-address, disk
 *   setpoint:network      | of a group: the number of its VNet
 *   setpoint:user-data    | hash of the user data it was launched with; '' for none
 *   setpoint:access       | hash of the user and keys it was launched with; '' for none
 */
export type Extra = 'part' | 'network' | 'user-data' | 'access';

/** https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations */
const longestValue = 256;

/** The tags that say `mark`. Tags with our prefix never come from a user. */
export function markTags(mark: Mark, extra: Readonly<Partial<Record<Extra, string>>> = {}): Tags {
  const beyond = mark.address?.slice(longestValue);
  const fields = {
    estate: mark.estate,
    store: mark.store,
    address: mark.address?.slice(0, longestValue),
    'address-more': beyond === '' ? undefined : beyond,
    deletion: mark.deletionPolicy,
    intent: mark.intent,
    attempt: mark.attempt?.toString(),
    ...extra,
  };
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[ownPrefix + name, value]],
  );
  return Object.fromEntries(entries);
}

/** Tags of an old mark that a new one drops: it names neither intent nor a longer address unless it has them. */
export const staleTags = (mark: Mark): readonly string[] => {
  const written = markTags(mark);
  return ['address-more', 'deletion', 'intent', 'attempt']
    .map((name) => ownPrefix + name)
    .filter((key) => !(key in written));
};

/** The mark on these tags, if there is one. */
export function readMark(tags: Tags | undefined): Mark | undefined {
  const get = (name: string): string | undefined => readTag(tags, ownPrefix + name);
  const [estate, store, address] = [get('estate'), get('store'), get('address')];
  if (!estate || store === undefined || !address) return undefined;
  const attempt = get('attempt');
  const policy = policies.find((name) => name === get('deletion'));
  const intent = get('intent');
  return {
    estate,
    store,
    address: address + (get('address-more') ?? ''),
    ...(policy === undefined ? {} : { deletionPolicy: policy }),
    ...(intent === undefined ? {} : { intent }),
    ...(attempt !== undefined && /^\d{1,9}$/.test(attempt) ? { attempt: Number(attempt) } : {}),
  };
}

export const readExtra = (tags: Tags | undefined, name: Extra): string | undefined => readTag(tags, ownPrefix + name);

/** True if an earlier attempt of the same create that `mark` is for wrote these tags. */
export function isSameTry(mark: Mark, tags: Tags | undefined): boolean {
  const other = readMark(tags);
  return (
    other?.estate === mark.estate &&
    other.store === mark.store &&
    other.address === mark.address &&
    other.intent === mark.intent
  );
}

const policies: readonly DeletionPolicy[] = ['retain', 'delete'];
