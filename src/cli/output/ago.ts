import type { Ago } from '../../core/render/wording.ts';
import { formatDuration } from './duration.ts';

/** `3 min ago`, seen from `now`; clouds' clocks may be ahead of ours. */
export const agoFrom =
  (now: number): Ago =>
  (at) =>
    `${formatDuration(Math.max(0, now - at))} ago`;
