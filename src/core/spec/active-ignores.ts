import type { ResourceDoc } from './effective-mode.ts';

export type Ignore = ResourceDoc['spec']['ignore'][number];

/** The fields left alone on this day. An entry holds on its last day and no longer. Days compare as text. */
export const activeIgnores = ({ spec }: ResourceDoc, today: string): readonly Ignore[] =>
  spec.ignore.filter((entry) => holds(entry, today));

export const holds = (entry: Ignore, today: string): boolean => today <= entry.until;
