import { statfs } from 'node:fs/promises';

const GiB = 1024 ** 3;

/** How much one fetch may take of the disk that mirrors lie on, and what it must leave. */
export const diskBounds = { most: 4 * GiB, left: 0.25 * GiB };

export interface DiskWatch {
  /** Aborts when too much is taken. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Bytes that are free where a folder lies. */
export type FreeBytes = (folder: string) => Promise<number>;

/**
 * git has no bound on what it fetches. Whatever else fills the disk meanwhile counts too: the fetch is called off, and asked
 * again. Looks once a second.
 */
export function watchDisk(folder: string, free: FreeBytes = freeBytes, everyMs = 1000): DiskWatch {
  const controller = new AbortController();
  const before = free(folder).catch(() => Number.NaN);
  const look = async (): Promise<void> => {
    const [then, now] = await Promise.all([before, free(folder).catch(() => Number.NaN)]);
    if (then - now > diskBounds.most || now < Math.min(diskBounds.left, then / 2)) controller.abort();
  };
  const timer = setInterval(() => void look(), everyMs);
  return { signal: controller.signal, end: () => clearInterval(timer) };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
