import type { Result } from '../../src/core/failure.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';

/** Asks for one page: the first without a token. */
export type Ask<T> = (token: string | undefined, call: Call) => Promise<Result<Page<T>>>;

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/**
 * A whole listing, page by page. A page may be short or empty though more follow; only a missing token ends it
 * (https://github.com/seek-oss/aec/issues/405). Throws `ListingFailed` where it cannot be whole: a refused page, or a
 * token that comes twice.
 */
export async function* pages<T>(ask: Ask<T>, call: Call): AsyncGenerator<readonly T[]> {
  const tokens = new Set<string>();
  for (let token: string | undefined; ; ) {
    const answer = await ask(token, call);
    if (!answer.ok) {
      call.signal.throwIfAborted();
      throw new ListingFailed(answer.failure.code, answer.failure.message, answer.failure);
    }
    const { items, next } = answer.value;
    if (items.length > 0) yield items;
    if (!next) return;
    if (tokens.has(next)) throw new ListingFailed('TokenLoop', 'the cloud answered the same page token twice');
    tokens.add(next);
    token = next;
  }
}
