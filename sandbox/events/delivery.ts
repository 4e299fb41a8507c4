import type { Call, WireRequest, WireResponse } from '../protocol.ts';
import type { Random } from '../random.ts';
import type { Destination } from './destination.ts';

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly body: string;
}

/** By an answer's status: the event is delivered, the sender retries it, or the sender drops it. */
export type Verdict = 'taken' | 'again' | 'refused';

/** Sends the events of one cloud's service to one destination. */
export interface EventSender {
  /** Made anew for each attempt; they count from 1. */
  readonly post: (event: object, attempt: number) => Post | Promise<Post>;
  readonly verdict: (status: number) => Verdict;
  /** A handshake that must succeed before any event is sent. */
  readonly handshake?: { readonly post: Post; readonly accepts: (answer: ReceiverAnswer) => boolean };
}

/** A write that was applied, whatever its client was answered. */
export interface Written {
  /** On the sandbox's clock. */
  readonly time: number;
  readonly call: Call;
  readonly request: WireRequest;
  readonly requestId: string;
  /** The answer to the write itself. */
  readonly response: WireResponse;
}

/** One cloud's audit service: what it tells of a write, each as it comes to pass. Never ends sooner than the write does. */
export type Source = (written: Written) => AsyncIterable<object>;

/** Counters of the deliveries to one destination. */
export interface DeliveryState {
  readonly waiting: number;
  readonly sent: number;
  /** Attempts that came to nothing. */
  readonly failed: number;
  /** Events that were given up. */
  readonly dropped: number;
  /** Why the last attempt that failed did. */
  readonly problem: string | undefined;
}

/** The world outside, real or made up. `sleep` and `send` throw once the signal is aborted. */
export interface Outside {
  /** Real time, in ms. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly send: (post: Post, signal: AbortSignal) => Promise<ReceiverAnswer>;
}

interface DeliveryOptions {
  readonly destination: Pick<Destination, 'delayMs' | 'duplicates' | 'attempts'>;
  readonly sender: EventSender;
  readonly random: Random;
  readonly outside: Outside;
}

interface Due {
  readonly event: object;
  readonly at: number;
}

/** An event beyond these is given up at once: nobody hears what nobody takes. */
const MOST_WAITING = 100_000;

const ATTEMPTS = 8;

/**
 * Sends to one destination: in order, one at a time, each at least once. An event that fails holds up those behind it until
 * it is given up.
 */
export class Delivery {
  readonly #sender: EventSender;
  readonly #outside: Outside;
  readonly #random: Random;
  readonly #manner: { readonly delayMs: number; readonly duplicates: number; readonly attempts: number };
  readonly #waiting: Due[] = [];
  readonly #stop = new AbortController();
  readonly #counts = { sent: 0, failed: 0, dropped: 0 };
  #problem: string | undefined;
  #handshakeDone: boolean;
  #running = false;
  #work: Promise<void> | undefined;

  constructor({ destination, sender, random, outside }: DeliveryOptions) {
    const { delayMs = 0, duplicates = 0, attempts = ATTEMPTS } = destination;
    this.#manner = { delayMs, duplicates, attempts };
    this.#sender = sender;
    this.#random = random;
    this.#outside = outside;
    this.#handshakeDone = sender.handshake === undefined;
  }

  /** Sends what must come before the first event, and then what waits. */
  open(): void {
    if (this.#running || this.#stop.signal.aborted) return;
    this.#running = true;
    this.#work = this.#drain();
  }

  /** Takes an event, to be sent after those taken before it. */
  push(event: object): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#counts.dropped += 1;
      return;
    }
    const due: Due = { event, at: this.#outside.now() + this.#manner.delayMs };
    this.#waiting.push(due);
    if (this.#random() < this.#manner.duplicates) this.#waiting.push(due);
    this.open();
  }

  state(): DeliveryState {
    return { waiting: this.#waiting.length, ...this.#counts, problem: this.#problem };
  }

  /** Ends what is under way; what waits is lost. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #drain(): Promise<void> {
    try {
      await this.#greet();
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
        await this.#deliver(next);
        this.#waiting.shift();
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    } finally {
      this.#running = false;
    }
  }

  async #greet(): Promise<void> {
    const { handshake } = this.#sender;
    for (let count = 1; handshake && !this.#handshakeDone; count++) {
      const answer = await this.#attempt(() => handshake.post);
      if (answer && handshake.accepts(answer)) this.#handshakeDone = true;
      else await this.#failed(count, answer);
    }
  }

  async #deliver({ event, at }: Due): Promise<void> {
    const early = at - this.#outside.now();
    if (early > 0) await this.#outside.sleep(early, this.#stop.signal);
    for (let count = 1; count <= this.#manner.attempts; count++) {
      const answer = await this.#attempt(() => this.#sender.post(event, count));
      const verdict = answer ? this.#sender.verdict(answer.status) : 'again';
      if (verdict === 'taken') {
        this.#counts.sent += 1;
        return;
      }
      if (verdict === 'refused') count = this.#manner.attempts;
      await this.#failed(count, answer, count >= this.#manner.attempts);
    }
    this.#counts.dropped += 1;
  }

  /** Undefined: nothing was answered. */
  async #attempt(post: () => Post | Promise<Post>): Promise<ReceiverAnswer | undefined> {
    const { signal } = this.#stop;
    try {
      return await this.#outside.send(await post(), signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#problem = reasonOf(error);
      return undefined;
    }
  }

  async #failed(count: number, answer: ReceiverAnswer | undefined, forGood = false): Promise<void> {
    this.#counts.failed += 1;
    if (answer) this.#problem = `answered ${answer.status}`;
    if (!forGood) await this.#outside.sleep(backoffMs(count), this.#stop.signal);
  }
}

function backoffMs(attempt: number): number {
  return Math.min(100 * 2 ** (attempt - 1), 5000);
}

/** `fetch` says only "fetch failed"; why is behind it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
