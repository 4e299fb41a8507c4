/** Times for people, of ms since the epoch, always UTC: `2026-12-01 08:00`, or to the second. */
export const bareMoment = (at: number, to: keyof typeof lengths = 'minute'): string =>
  new Date(at).toISOString().slice(0, lengths[to]).replace('T', ' ');

/** `2026-12-01 08:00 UTC` */
export const formatMoment = (at: number, to?: keyof typeof lengths): string => `${bareMoment(at, to)} UTC`;

const lengths = { minute: 16, second: 19 } as const;
