export type Logged = Asked & Answered;

interface Asked {
  /** On the sandbox's clock. */
  readonly time: number;
  readonly service: string;
  readonly account: string;
  readonly region: string;
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
}

interface Answered {
  readonly mutating: boolean;
  /** 0 when the connection was cut instead of answered. */
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly requestId: string;
  /** The cloud applied the write, even if the answer was an error or was lost. */
  readonly applied: boolean;
}

export interface LogQuery {
  readonly action?: string;
  readonly account?: string;
  readonly region?: string;
  readonly mutating?: boolean;
  readonly errorCode?: string;
}

export interface RequestLog {
  add(entry: Logged): void;
  /** Oldest first; only the newest `keep` requests are held. */
  entries(query?: LogQuery): readonly Logged[];
  /** Requests by action since the last `clear`, also those no longer held. */
  counts(): Readonly<Record<string, number>>;
  clear(): void;
  /** Calls `look` after each request from now on, when all that it did has been done, and before it is answered. Ends it. */
  watch(look: (entry: Logged) => void): () => void;
}

export function makeRequestLog(keep = 100_000): RequestLog {
  let entries: Logged[] = [];
  let counts = new Map<string, number>();
  const watchers = new Set<(entry: Logged) => void>();
  return {
    add: (entry) => {
      counts.set(entry.action, (counts.get(entry.action) ?? 0) + 1);
      entries.push(entry);
      if (entries.length >= keep * 2) entries = entries.slice(-keep);
      for (const look of watchers) look(entry);
    },
    entries: (query = {}) => entries.slice(-keep).filter((entry) => fits(entry, query)),
    counts: () => Object.fromEntries(counts),
    clear: () => {
      entries = [];
      counts = new Map();
    },
    watch: (look) => {
      watchers.add(look);
      return () => void watchers.delete(look);
    },
  };
}

function fits(entry: Logged, query: LogQuery): boolean {
  return (
    (query.action === undefined || entry.action === query.action) &&
    (query.account === undefined || entry.account === query.account) &&
    (query.region === undefined || entry.region === query.region) &&
    (query.mutating === undefined || entry.mutating === query.mutating) &&
    (query.errorCode === undefined || entry.errorCode === query.errorCode)
  );
}
