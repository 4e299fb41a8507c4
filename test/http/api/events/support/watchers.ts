import type { Grant } from '../../../../../src/core/access/grant.ts';
import { type EventFilter, openEventStreams } from '../../../../../src/http/api/events/streams.ts';
import type { Caller } from '../../../../../src/http/api/route.ts';
import { type EventLimits, eventLimits } from '../../../../../src/http/limits.ts';
import type { EventDraft, Events, StoredEvent } from '../../../../../src/ports/events.ts';
import { createLog } from '../../../../../src/telemetry/log.ts';
import { memoryEvents } from '../../../../support/memory-store/events.ts';
import { type Memory, memory, publishEventsIn } from '../../../../support/memory-store/memory.ts';
import { type VirtualClock, virtualClock } from '../../../../support/virtual-clock.ts';
import { openReading, type Reading } from './reading.ts';

/** Events in memory, and who follows them in virtual time. */
export interface Watchers {
  readonly clock: VirtualClock;
  readonly lines: readonly string[];
  /** The number of reads of the store after a position. */
  reads(): number;
  tell(...drafts: readonly Partial<EventDraft>[]): readonly StoredEvent[];
  watch(asked?: Asked): Promise<Watcher>;
}

export interface Asked {
  readonly grants?: readonly Grant[];
  readonly id?: string;
  readonly from?: string | undefined;
  readonly only?: EventFilter;
  /** It takes one piece only when it is told to. */
  readonly slow?: boolean;
}

export interface Watcher extends Reading {
  /** The received events, in order. */
  numbers(): readonly unknown[];
  hasEnded(): boolean;
  leave(): void;
  /** Takes one more piece. */
  take(): Promise<void>;
}

export interface Setting {
  readonly limits?: Partial<EventLimits>;
  readonly events?: (events: Events) => Events;
  readonly authenticate?: (caller: Caller) => Promise<Caller | undefined>;
}

export function watchers({ limits = {}, events = (same) => same, authenticate }: Setting = {}): Watchers {
  const clock = virtualClock();
  const data = memory('00000000-0000-4000-8000-000000000000');
  const lines: string[] = [];
  const inner = events(memoryEvents(data));
  let reads = 0;
  const counted: Events = {
    ...inner,
    after: (place, limit) => {
      reads += 1;
      return inner.after(place, limit);
    },
  };
  const callers = new Map<string, Caller>();
  const streams = openEventStreams({
    events: counted,
    authenticate: async (authorization = '') => {
      const caller = callers.get(authorization);
      return caller && authenticate ? authenticate(caller) : caller;
    },
    clock,
    log: createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' }),
    limits: { ...eventLimits, ...limits },
  });
  const callerOf = ({ id = 'kim', grants = [{ role: 'viewer' }] }: Asked): Caller => {
    const caller = { id, person: id, identities: [], grants };
    callers.set(id, caller);
    return caller;
  };
  const watch = async (asked: Asked = {}): Promise<Watcher> => {
    const leaving = new AbortController();
    const caller = callerOf(asked);
    const by = {
      ...{ caller, authorization: caller.id, now: clock.now(), signal: leaving.signal },
      header: () => undefined,
    };
    return watcherOf(await streams.follow(by, asked.from, asked.only ?? {}), leaving, asked.slow ?? false);
  };
  return { clock, lines, reads: () => reads, tell: (...drafts) => tell(data, clock, drafts), watch };
}

let told = 0;

function tell(data: Memory, clock: VirtualClock, drafts: readonly Partial<EventDraft>[]): readonly StoredEvent[] {
  const before = data.events.told.length;
  const full = drafts.map((draft) => ({ estate: 'acme', type: 'resource', about: { n: ++told }, ...draft }) as const);
  publishEventsIn(data.events, clock.now(), full);
  return data.events.told.slice(before);
}

function watcherOf(chunks: AsyncIterable<string>, leaving: AbortController, slow: boolean): Watcher {
  const reading = openReading();
  const iterator = chunks[Symbol.asyncIterator]();
  let ended = false;
  const take = async (): Promise<void> => {
    const { done, value } = await iterator.next();
    if (done) ended = true;
    else reading.feed(value);
  };
  const read = async (): Promise<void> => {
    while (!ended) await take();
  };
  if (!slow) void read();
  return {
    ...reading,
    numbers: () => reading.events.map(({ data }) => JSON.parse(data).about?.n ?? data),
    hasEnded: () => ended,
    leave: () => leaving.abort(),
    take,
  };
}
