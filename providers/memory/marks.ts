import type { AddressedMark, Mark } from '../../src/core/observed.ts';
import { documentOfReplica } from '../../src/core/resource.ts';

type Tags = Readonly<Record<string, string>>;

const key = {
  estate: 'setpoint:estate',
  store: 'setpoint:store',
  address: 'setpoint:address',
  policy: 'setpoint:deletion-policy',
  intent: 'setpoint:intent',
  attempt: 'setpoint:attempt',
  part: 'setpoint:part',
  first: 'setpoint:first',
} as const;

/** The mark as tags. */
export const markTags = (mark: Mark): Tags => ({
  [key.estate]: mark.estate,
  [key.store]: mark.store,
  ...(mark.address !== undefined && { [key.address]: mark.address }),
  ...(mark.deletionPolicy !== undefined && { [key.policy]: mark.deletionPolicy }),
  ...(mark.intent !== undefined && { [key.intent]: mark.intent }),
  ...(mark.attempt !== undefined && { [key.attempt]: `${mark.attempt}` }),
});

/** A part bears the mark of the resource it stands and falls with. */
export const partTags = (mark: Mark, part: string): Tags => ({ ...markTags(mark), [key.part]: part });

/** All machines of a launch bear one mark, with the ordinal of the first: a machine's own is `first` plus its place in the launch. */
export function launchTags(mark: AddressedMark): Tags {
  const ordinal = /-(\d+)$/.exec(mark.address)?.[1];
  if (ordinal === undefined) return markTags(mark);
  return { ...markTags(mark), [key.address]: documentOfReplica(mark.address), [key.first]: ordinal };
}

/** One machine's mark, written anew: its whole address, and no first to count from. */
export const machineTags = (mark: Mark): Tags => ({ ...markTags(mark), [key.first]: '' });

/** Reads a mark back; undefined where there is none, or half of one. `index`: the machine's place in its launch. */
export function markOf(tags: Tags, index?: number): Mark | undefined {
  const { [key.estate]: estate, [key.store]: store, [key.address]: address } = tags;
  if (estate === undefined || store === undefined) return undefined;
  const { [key.policy]: policy, [key.intent]: intent, [key.attempt]: attempt, [key.first]: first } = tags;
  return {
    estate,
    store,
    ...(address !== undefined && {
      address:
        first === undefined || first === '' || index === undefined ? address : `${address}-${Number(first) + index}`,
    }),
    ...((policy === 'retain' || policy === 'delete') && { deletionPolicy: policy }),
    ...(intent !== undefined && { intent }),
    ...(attempt !== undefined && { attempt: Number(attempt) }),
  };
}

export const partOf = (tags: Tags): string | undefined => tags[key.part];
