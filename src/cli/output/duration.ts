import { InvalidArgumentError } from 'commander';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `500ms`, `30s`, `5m`, `2h`, `1d` as milliseconds; a bare 0 needs no unit. Used as a parser of options. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (text === '0') return 0;
  if (!match) throw new InvalidArgumentError('Write a number and a unit: 500ms, 30s, 5m, 2h or 1d.');
  const unit = match[2] as keyof typeof unitMs; // why: the pattern admits these five only
  return Number(match[1]) * unitMs[unit];
}

/** `850 ms`, `12 s`, `3 min`, `5 h`, `2 d`: two digits are enough for people. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}
