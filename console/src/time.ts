const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** `seconds` from now on; before now it is negative: `12 s ago`, `in 4 min`. */
export function relativeTime(seconds: number): string {
  const size = Math.abs(Math.round(seconds));
  if (size < 1) return 'now';
  return seconds < 0 ? `${spanText(size)} ago` : `in ${spanText(size)}`;
}

/** `90` is `1 min`: the largest unit that fits, rounded down. */
export function spanText(seconds: number): string {
  const [unit, size] = units.find(([, one]) => seconds >= one) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

export const absoluteTime = (at: string): string => {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : absolute.format(ms);
};
