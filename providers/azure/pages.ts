import type { Result } from '../../src/core/failure.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import type { Client, Page, Pages } from './client.ts';
import { partsOfId } from './ids.ts';

/** The fields of every resource; the SDK's types call them optional. */
export interface Listed {
  readonly id?: string;
  readonly location?: string;
}

/**
 * A whole listing of a subscription, page by page. A page may be short or empty though more follow; only a missing link
 * ends it. Throws `ListingFailed` where it cannot be whole: a refused page, a link that comes twice, an object without an
 * id or place, an object of another subscription.
 */
export async function* pages<T extends Listed>(
  list: Pages<T>,
  { client, account }: { readonly client: Client; readonly account: string },
  call: Call,
): AsyncGenerator<readonly T[]> {
  const links = new Set<string>();
  for (let link: string | undefined; ; ) {
    const answer: Result<Page<T>> = await client.page(call, list, link);
    if (!answer.ok) {
      call.signal.throwIfAborted();
      throw new ListingFailed(answer.failure.code, answer.failure.message, answer.failure);
    }
    const { items, next } = answer.value;
    for (const item of items) check(item, account);
    if (items.length > 0) yield items;
    if (next === undefined) return;
    if (links.has(next)) throw new ListingFailed('LinkLoop', 'the cloud answered the same link to a next page twice');
    links.add(next);
    link = next;
  }
}

function check({ id, location }: Listed, account: string): void {
  if (!id || !location) {
    const message = `the cloud listed ${id ?? 'something'} without ${id ? 'a location' : 'an id'}`;
    throw new ListingFailed('BadItem', message, { kind: 'retryable', code: 'BadItem', message });
  }
  const { subscription } = partsOfId(id);
  if (subscription.toLowerCase() === account.toLowerCase()) return;
  const message = `the target names subscription ${account}, but the cloud listed objects of ${subscription}`;
  throw new ListingFailed('wrong-account', message, { kind: 'terminal', code: 'wrong-account', message });
}

/** A listing for a reader that answers with values. */
export async function listed<T>(listing: Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await listing };
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
    const { code, message, failure } = error;
    return { ok: false, failure: failure ?? { kind: 'retryable', code, message } };
  }
}

/** A whole listing of what is of no subscription, or has no place. A page may be short or empty though more follow. */
export async function everything<T>(
  { client }: { readonly client: Client },
  call: Call,
  list: Pages<T>,
): Promise<Result<readonly T[]>> {
  const all: T[] = [];
  for (let link: string | undefined; ; ) {
    const page: Result<Page<T>> = await client.page(call, list, link);
    if (!page.ok) return page;
    for (const item of page.value.items) all.push(item);
    link = page.value.next;
    if (link === undefined) return { ok: true, value: all };
  }
}
