import type { Labels } from '../../src/core/resource.ts';

/** As the cloud answers them. */
export interface Tag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

/** Tags of ours begin so, and no user's do. */
export const ownPrefix = 'setpoint:';
/** "The aws: prefix is reserved": https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html */
const reserved = 'aws:';

/** The user's part: every tag that is neither ours nor the cloud's own. */
export function readLabels(tags: readonly Tag[] | undefined): Labels {
  const entries = (tags ?? []).flatMap(({ Key = '', Value = '' }) =>
    Key.startsWith(ownPrefix) || Key.startsWith(reserved) ? [] : [[Key, Value] as const],
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Consoles show this tag as the name: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html */
export const nameKey = 'Name';

export const nameIn = (tags: readonly Tag[] | undefined): string =>
  tags?.find((tag) => tag.Key === nameKey)?.Value ?? '';

/** As the API wants them. */
export const tagList = (tags: Labels): { Key: string; Value: string }[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
