import type { GitBounds } from './run-git.ts';

const MINUTE = 60_000;

/** How long git may take, and how much it may say. A server that falls silent is given up by `http.lowSpeedTime` before. */
export const bounds = {
  local: (): GitBounds => ({ timeoutMs: 2 * MINUTE, mostBytes: 8 * 1024 * 1024 }),
  ask: (signal?: AbortSignal): GitBounds => ({ timeoutMs: MINUTE, mostBytes: 1024 * 1024, signal }),
  fetch: (signal?: AbortSignal): GitBounds => ({ timeoutMs: 15 * MINUTE, mostBytes: 1024 * 1024, signal }),
  read: (signal?: AbortSignal) => ({ timeoutMs: 5 * MINUTE, signal }),
} as const;
