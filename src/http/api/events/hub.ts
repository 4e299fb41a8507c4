import { type Reader, type ReaderOptions, startReader } from './reader.ts';
import { type EventText, eventTexts, portionOf, type RecentEvents } from './recent-events.ts';

/** One reader of the store for all clients; who comes back from before what it holds in memory is read to from the store. */
export interface Hub {
  /** The place that a new client begins at. */
  newest(): Promise<string>;
  /** The next events for a client; nothing where there are none, or the store does not answer. */
  next(cursor: EventCursor): Promise<EventBatch>;
  /** True while events cannot be delivered. */
  isStalled(): boolean;
  /**
   * Ends when there may be events or a reader has left, and after a second. Call it before `next`, so that no event is missed.
   */
  changed(): Promise<void>;
  /** Begins to read, for as long as somebody follows. Returns how to leave; to leave twice is to leave once. */
  follow(): () => void;
}

/** The position of a client. `known`: the recent events that its place belongs to, once the store was asked. */
export interface EventCursor {
  readonly place: string;
  readonly known?: RecentEvents | undefined;
}

/** `gone`: what came next is not kept any more; it goes on from where it stands now. */
export interface EventBatch {
  readonly cursor: EventCursor;
  readonly texts: readonly EventText[];
  readonly more: boolean;
  readonly gone: boolean;
}

const pageRows = 100;

export function openHub(options: ReaderOptions): Hub {
  const { events, limits } = options;
  const followers = new Set<symbol>();
  const limited = semaphore(limits.readers);
  const wakeUp = openWakeUp();
  let reader: Reader | undefined;
  return {
    newest: () => limited(() => events.newest()),
    changed: wakeUp.wait,
    isStalled: () => reader?.isStalled() ?? false,
    next: async (cursor) => {
      const recent = reader?.recent();
      const held = recent !== undefined && recent === cursor.known ? fromMemory(cursor, recent) : undefined;
      return held ?? limited(() => fromStore(cursor, recent, options));
    },
    follow: () => {
      const follower = Symbol('follower');
      followers.add(follower);
      reader ??= startReader(options, wakeUp.wake);
      return () => {
        if (!followers.delete(follower)) return;
        wakeUp.wakeSoon();
        if (followers.size > 0) return;
        reader?.stop();
        reader = undefined;
      };
    },
  };
}

function fromMemory(cursor: EventCursor, known: RecentEvents): EventBatch | undefined {
  const since = known.since(cursor.place);
  return since && { cursor: { place: since.place, known }, texts: since.texts, more: since.more, gone: false };
}

async function fromStore(
  cursor: EventCursor,
  known: RecentEvents | undefined,
  { events }: ReaderOptions,
): Promise<EventBatch> {
  try {
    const page = await events.after(cursor.place, pageRows);
    if (page.gone) return { cursor: { place: page.place, known }, texts: [], more: false, gone: true };
    const all = eventTexts(page.events);
    const { texts, more, place } = portionOf(all, 0, page.place);
    return { cursor: { place, known }, texts, more: more || page.more, gone: false };
  } catch {
    // why: the one reader logs it, and the client gets the events later
    return { cursor, texts: [], more: false, gone: false };
  }
}

interface WakeUp {
  wait(): Promise<void>;
  wake(): void;
  /** However many ask for it meanwhile: when a server stops, all leave at once. */
  wakeSoon(): void;
}

function openWakeUp(): WakeUp {
  let next = Promise.withResolvers<void>();
  let isSoon = false;
  const wake = (): void => {
    const { resolve } = next;
    next = Promise.withResolvers();
    resolve();
  };
  return {
    wait: () => next.promise,
    wake,
    wakeSoon: () => {
      if (isSoon) return;
      isSoon = true;
      setImmediate(() => {
        isSoon = false;
        wake();
      });
    },
  };
}

/** Lets so many through at once, the others in the order in which they came. */
export function semaphore(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((enter) => waiting.push(enter));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
