import type { Desired } from '../../src/core/desired.ts';
import type { Origin } from '../../src/core/observed.ts';
import type { InstanceAttributes, Labels } from '../../src/core/resource.ts';

type Tags = Readonly<Record<string, string>>;

/** The name that people see, and what they label it with. */
export const nameAndLabels = ({ name, attributes: { labels } }: Desired<'network' | 'subnet' | 'instance'>): Tags => ({
  Name: name,
  ...labels,
});

const key = { userData: 'setpoint:user-data', access: 'setpoint:access' } as const;

type Boot = NonNullable<InstanceAttributes['boot']>;

/** The launch data of a machine cannot be read back, so its hashes are beside the mark. */
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

/** The likely origin of an object without a mark, where its tags show it. */
export function originOf(tags: Tags): Origin | undefined {
  const service = tags['cloud:made-by'];
  if (service !== undefined) return { why: 'service-child', detail: `made by ${service}`, maker: service };
  const tool = tags['managed-by'];
  if (tool === undefined) return undefined;
  return { why: 'other-tool', detail: `its tag says managed-by=${tool}`, maker: tool };
}
