import { type Told, tellable } from './event-text.ts';
import { type Reader, type ReaderOptions, startReader } from './reader.ts';
import { type Recent, upTo } from './recent.ts';
import { turnstile } from './turnstile.ts';

/** One reader of the store for all clients; who comes back from before what it holds in memory is read to from the store. */
export interface Hub {
  /** The place that a new client begins at. */
  newest(): Promise<string>;
  /** What a client is told next; nothing where there is nothing new, or the store does not answer. */
  next(stand: Stand): Promise<Step>;
  /** What happened cannot be told for now. */
  isHeldUp(): boolean;
  /** Ends when there may be news or somebody left, and after a second. Asked for before `next`, nothing passes in between. */
  turn(): Promise<void>;
  /** Begins to read, for as long as somebody follows. Returns how to leave; to leave twice is to leave once. */
  follow(): () => void;
}

/** Where a client stands. `known`: what its place was found to be of, once the store was asked for it. */
export interface Stand {
  readonly place: string;
  readonly known?: Recent | undefined;
}

/** `gone`: what came next is not kept any more; it goes on from where it stands now. */
export interface Step {
  readonly stand: Stand;
  readonly told: readonly Told[];
  readonly more: boolean;
  readonly gone: boolean;
}

const pageRows = 100;

export function openHub(options: ReaderOptions): Hub {
  const { happenings, limits } = options;
  const followers = new Set<symbol>();
  const through = turnstile(limits.readers);
  const bell = openBell();
  let reader: Reader | undefined;
  return {
    newest: () => through(() => happenings.newest()),
    turn: bell.heard,
    isHeldUp: () => reader?.isHeldUp() ?? false,
    next: async (stand) => {
      const recent = reader?.recent();
      const held = recent !== undefined && recent === stand.known ? fromMemory(stand, recent) : undefined;
      return held ?? through(() => fromStore(stand, recent, options));
    },
    follow: () => {
      const follower = Symbol('follower');
      followers.add(follower);
      reader ??= startReader(options, bell.ring);
      return () => {
        if (!followers.delete(follower)) return;
        bell.ringSoon();
        if (followers.size > 0) return;
        reader?.stop();
        reader = undefined;
      };
    },
  };
}

function fromMemory(stand: Stand, known: Recent): Step | undefined {
  const since = known.since(stand.place);
  return since && { stand: { place: since.place, known }, told: since.told, more: since.more, gone: false };
}

async function fromStore(stand: Stand, known: Recent | undefined, { happenings }: ReaderOptions): Promise<Step> {
  try {
    const page = await happenings.after(stand.place, pageRows);
    if (page.gone) return { stand: { place: page.place, known }, told: [], more: false, gone: true };
    const all = tellable(page.happenings);
    const { told, more, place } = upTo(all, 0, page.place);
    return { stand: { place, known }, told, more: more || page.more, gone: false };
  } catch {
    // why: the one reader logs of it, and the client is told later
    return { stand, told: [], more: false, gone: false };
  }
}

interface Bell {
  heard(): Promise<void>;
  ring(): void;
  /** However many ask for it meanwhile: when a server stops, all leave at once. */
  ringSoon(): void;
}

function openBell(): Bell {
  let next = Promise.withResolvers<void>();
  let isSoon = false;
  const ring = (): void => {
    const { resolve } = next;
    next = Promise.withResolvers();
    resolve();
  };
  return {
    heard: () => next.promise,
    ring,
    ringSoon: () => {
      if (isSoon) return;
      isSoon = true;
      setImmediate(() => {
        isSoon = false;
        ring();
      });
    },
  };
}
