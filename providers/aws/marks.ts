import type { DeletionPolicy } from '../../src/core/desired.ts';
import type { Mark, Observed, Part } from '../../src/core/observed.ts';
import type { Labels } from '../../src/core/resource.ts';
import { ownPrefix, type Tag } from './tags.ts';

/**
 * Our mark and the user's labels, both as tags, written in the creating call (TagSpecifications).
 *
 *   tag                  | value
 *   ---------------------+------------------------------------------------------------
 *   setpoint:estate      | the estate that owns it
 *   setpoint:store       | the store that made it
 *   setpoint:address     | its address; of a batched launch: the document's; of an adopted object and its parts: none
 *   setpoint:first       | batched launch: ordinal of the instance with AmiLaunchIndex 0
 *   setpoint:deletion    | retain or delete
 *   setpoint:intent      | the intent that made it, and
 *   setpoint:attempt     | which try of it
 *   setpoint:part        | of a part: internet-gateway, route-table, volume, network-interface
 *   setpoint:user-data   | hash of the user data it was launched with; '' for none
 *   setpoint:access      | hash of the user and keys it was launched with; '' for none
 *   setpoint:public-ip   | whether it was launched with a public address: a stopped machine reports none
 *   setpoint:gateway     | of a network: when a gateway was last asked for, in ms since the epoch
 */
export type Extra = 'first' | 'part' | 'user-data' | 'access' | 'public-ip' | 'gateway';

/** The tags that say `mark`. Tags with our prefix never come from a user. */
export function markTags(mark: Mark, extra: Readonly<Partial<Record<Extra, string>>> = {}): Labels {
  const fields = {
    estate: mark.estate,
    store: mark.store,
    address: mark.address,
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

/** The mark on these tags, if there is one. `launchIndex`: where in its launch an instance stands. */
export function readMark(tags: readonly Tag[] | undefined, launchIndex = 0): Mark | undefined {
  const get = reader(tags);
  const [estate, store, address] = [get('estate'), get('store'), get('address')];
  if (!estate || store === undefined) return undefined;
  const first = readFirst(tags);
  const attempt = digits(get('attempt'));
  const policy = policies.find((name) => name === get('deletion'));
  const intent = get('intent');
  return {
    estate,
    store,
    ...(address ? { address: first === undefined ? address : `${address}-${first + launchIndex}` } : {}),
    ...(policy === undefined ? {} : { deletionPolicy: policy }),
    ...(intent === undefined ? {} : { intent }),
    ...(attempt === undefined ? {} : { attempt }),
  };
}

/** True where these tags were written by an earlier try of the very creation that `mark` is for. */
export function isSameTry(mark: Mark, tags: readonly Tag[] | undefined): boolean {
  const other = readMark(tags);
  return (
    other?.estate === mark.estate &&
    other.store === mark.store &&
    other.address === mark.address &&
    other.intent === mark.intent
  );
}

/** The ordinal that a batched launch wrote on each of its machines and their parts. */
export const readFirst = (tags: readonly Tag[] | undefined): number | undefined => digits(reader(tags)('first'));

export function readExtra(tags: readonly Tag[] | undefined, name: Extra): string | undefined {
  return reader(tags)(name);
}

/** The tag key of one of ours, for filters and removals. */
export const tagKey = (name: 'estate' | 'store' | 'address' | 'intent' | 'attempt' | Extra): string => ownPrefix + name;

/**
 * The parts that a new mark is written on, and its tags on them.
 *
 *   the mark          | parts of a network         | parts of a machine
 *   ------------------+----------------------------+-------------------------------------
 *   has an address    | the same, and which part   | the same, and which part
 *   has none: adopted | the same tags and no other | none: nothing of ours asks for them
 */
export const partsMarked = ({ kind, condition }: Observed, { address }: Pick<Mark, 'address'>): readonly Part[] =>
  address === undefined && kind !== 'network' ? [] : (condition.parts ?? []);

/** Parts of a network with an address in its mark say already which part they are, and so share the call of their network. */
export const namesParts = ({ kind, signs }: Observed, { address }: Pick<Mark, 'address'>): boolean =>
  address !== undefined && !(kind === 'network' && signs.mark?.address !== undefined);

const policies: readonly DeletionPolicy[] = ['retain', 'delete'];

function reader(tags: readonly Tag[] | undefined): (name: string) => string | undefined {
  return (name) => tags?.find((tag) => tag.Key === ownPrefix + name)?.Value;
}

const digits = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
