import { documentOfReplica } from '../../src/core/address.ts';
import type { InstanceAttributes } from '../../src/core/attributes.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { Mark, Origin } from '../../src/core/observed.ts';
import type { Labels } from '../../src/core/resource.ts';

type Tags = Readonly<Record<string, string>>;

const key = {
  estate: 'setpoint:estate',
  store: 'setpoint:store',
  address: 'setpoint:address',
  policy: 'setpoint:deletion-policy',
  intent: 'setpoint:intent',
  attempt: 'setpoint:attempt',
  part: 'setpoint:part',
  userData: 'setpoint:user-data',
  access: 'setpoint:access',
  first: 'setpoint:first',
} as const;

/** The mark as tags. */
export const markTags = (mark: Mark): Tags => ({
  [key.estate]: mark.estate,
  [key.store]: mark.store,
  [key.address]: mark.address,
  ...(mark.deletionPolicy !== undefined && { [key.policy]: mark.deletionPolicy }),
  ...(mark.intent !== undefined && { [key.intent]: mark.intent }),
  ...(mark.attempt !== undefined && { [key.attempt]: `${mark.attempt}` }),
});

/** A part bears the mark of the resource it stands and falls with. */
export const partTags = (mark: Mark, part: string): Tags => ({ ...markTags(mark), [key.part]: part });

/** All machines of a launch bear one mark, with the ordinal of the first: a machine's own is `first` plus its place in the launch. */
export function launchTags(mark: Mark): Tags {
  const ordinal = /-(\d+)$/.exec(mark.address)?.[1];
  if (ordinal === undefined) return markTags(mark);
  return { ...markTags(mark), [key.address]: documentOfReplica(mark.address), [key.first]: ordinal };
}

/** One machine's mark, written anew: its whole address, and no first to count from. */
export const machineTags = (mark: Mark): Tags => ({ ...markTags(mark), [key.first]: '' });

/** Reads a mark back; undefined where there is none, or half of one. `index`: the machine's place in its launch. */
export function markOf(tags: Tags, index?: number): Mark | undefined {
  const { [key.estate]: estate, [key.store]: store, [key.address]: address } = tags;
  if (estate === undefined || store === undefined || address === undefined) return undefined;
  const { [key.policy]: policy, [key.intent]: intent, [key.attempt]: attempt, [key.first]: first } = tags;
  return {
    estate,
    store,
    address:
      first === undefined || first === '' || index === undefined ? address : `${address}-${Number(first) + index}`,
    ...((policy === 'retain' || policy === 'delete') && { deletionPolicy: policy }),
    ...(intent !== undefined && { intent }),
    ...(attempt !== undefined && { attempt: Number(attempt) }),
  };
}

/** Whether both were written for the same intent: then the object is what an earlier sending of that creation made. */
export const sameIntent = (found: Mark | undefined, mark: Mark): boolean =>
  found !== undefined &&
  found.estate === mark.estate &&
  found.store === mark.store &&
  found.address === mark.address &&
  found.intent === mark.intent;

export const partOf = (tags: Tags): string | undefined => tags[key.part];

/** The name that people see, and what they label it with. */
export const nameAndLabels = ({ name, attributes: { labels } }: Desired<'network' | 'subnet' | 'instance'>): Tags => ({
  Name: name,
  ...labels,
});

type Boot = NonNullable<InstanceAttributes['boot']>;

/** What a machine was told at its birth cannot be read back, so its hashes stand beside the mark. */
export const bootTags = ({ userData, access }: Boot = {}): Tags => ({
  ...(userData !== undefined && { [key.userData]: userData }),
  ...(access !== undefined && { [key.access]: access }),
});

export function bootOf({ [key.userData]: userData, [key.access]: access }: Tags): Boot | undefined {
  if (userData === undefined && access === undefined) return undefined;
  return { ...(userData !== undefined && { userData }), ...(access !== undefined && { access }) };
}

/** People's own tags: neither ours nor the cloud's. */
export const labelsOf = (tags: Tags): Labels =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => !/^(setpoint|cloud):/.test(name)));

/** Why a thing is there that bears no mark, where its tags tell. */
export function originOf(tags: Tags): Origin | undefined {
  const service = tags['cloud:made-by'];
  if (service !== undefined) return { why: 'service-child', detail: `made by ${service}` };
  const tool = tags['managed-by'];
  return tool === undefined ? undefined : { why: 'other-tool', detail: `its tag says managed-by=${tool}` };
}
