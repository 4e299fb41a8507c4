import type { Labels } from '../../src/core/resource.ts';

/** As the cloud answers them. */
export type Tags = Readonly<Record<string, string>>;

/** Tags of ours begin so, and no user's do. */
export const ownPrefix = 'setpoint:';

const isOwn = (key: string): boolean => key.toLowerCase().startsWith(ownPrefix);

/** The user's part: every tag that is not ours. */
export function readLabels(tags: Tags | undefined): Labels {
  const entries = Object.entries(tags ?? {}).filter(([key]) => !isOwn(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** By its key, which Azure compares without case. Most keys differ by their length already, and a mark has many. */
export function readTag(tags: Tags | undefined, key: string): string | undefined {
  const wanted = key.toLowerCase();
  const name = Object.keys(tags ?? {}).find((each) => each.length === wanted.length && each.toLowerCase() === wanted);
  return name === undefined ? undefined : tags?.[name];
}

/**
 * The same tags with these set and those gone. Azure holds a key once whatever its case, and keeps the one it has.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
 */
export function editTags(tags: Tags | undefined, set: Tags, drop: readonly string[] = []): Tags {
  const gone = new Set([...drop, ...Object.keys(set)].map((key) => key.toLowerCase()));
  const spelled = new Map(Object.keys(tags ?? {}).map((key) => [key.toLowerCase(), key]));
  const kept = Object.entries(tags ?? {}).filter(([key]) => !gone.has(key.toLowerCase()));
  const added = Object.entries(set).map(([key, value]) => [spelled.get(key.toLowerCase()) ?? key, value] as const);
  return Object.fromEntries([...kept, ...added]);
}
