import type { MapFilter, ReachQuestion } from '../api-client.ts';

/** The state of the map in its address. `edge`, `node`: what is chosen; `out`: edges to the internet show, too. */
export const mapKeys = [
  'estate',
  'target',
  'network',
  'group',
  'focus',
  'rule',
  'edge',
  'node',
  'out',
  'from',
  'to',
  'port',
] as const;

export type MapSearch = Partial<Record<(typeof mapKeys)[number], string>>;

/** The keys that narrow the map, with the words for a person. */
export const narrowing = {
  network: 'Only the network',
  group: 'Only the group',
  focus: 'Only the traffic of',
  rule: 'Only the traffic that is allowed by',
} as const;

export const narrowingKeys = [
  'network',
  'group',
  'focus',
  'rule',
] as const satisfies readonly (keyof typeof narrowing)[];

export function mapFilter(search: MapSearch): MapFilter {
  const keys = ['estate', 'target', ...narrowingKeys] as const;
  return Object.fromEntries(keys.flatMap((key) => (search[key] === undefined ? [] : [[key, search[key]]])));
}

/** Undefined: nothing is asked. */
export function reachQuestion({ estate, target, from, to, port }: MapSearch): ReachQuestion | undefined {
  if (from === undefined || to === undefined) return undefined;
  return {
    ...{ from, to },
    ...(estate === undefined ? {} : { estate }),
    ...(target === undefined ? {} : { target }),
    ...(port === undefined ? {} : { port }),
  };
}
