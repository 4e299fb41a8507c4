import type { Result } from '../../src/core/failure.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import type { Client } from './client.ts';
import type { ActionName, Input, Output } from './cloud/calls.ts';
import type { Listing, Page } from './cloud/listing.ts';

export type ListAction = Extract<ActionName, `List${string}`>;
export type Item<A extends ListAction> = (Output<A> extends Page<infer R> ? R : never) & { readonly id: string };

/** Every page; throws `ListingFailed` when one of them fails or says that it is not the whole. */
export async function* pages<A extends ListAction>(
  client: Client,
  call: Call,
  action: A,
): AsyncGenerator<readonly Item<A>[]> {
  for await (const page of walk(client, call, { action })) {
    if (!page.ok) throw new ListingFailed(page.failure.code, `${action}: ${page.failure.message}`, page.failure);
    if (page.value.unreachable !== undefined)
      throw new ListingFailed('Unreachable', `${action}: ${page.value.unreachable}`);
    yield page.value.items;
  }
}

/** The whole listing at once, for what several resources rest on. */
export async function all<A extends ListAction>(client: Client, call: Call, action: A): Promise<readonly Item<A>[]> {
  const items: Item<A>[] = [];
  for await (const page of pages(client, call, action)) items.push(...page);
  return items;
}

/** The same for a caller that must not throw. */
export async function lookUp<A extends ListAction>(
  client: Client,
  call: Call,
  action: A,
): Promise<Result<readonly Item<A>[]>> {
  const items: Item<A>[] = [];
  for await (const page of walk(client, call, { action })) {
    if (!page.ok) return page;
    items.push(...page.value.items);
  }
  return { ok: true, value: items };
}

/** These ones by name; an id that is not in the answer is not there. */
export async function byId<A extends ListAction>(
  client: Client,
  call: Call,
  { action, ids }: { readonly action: A; readonly ids: readonly string[] },
): Promise<Result<ReadonlyMap<string, Item<A>>>> {
  const found = new Map<string, Item<A>>();
  if (ids.length === 0) return { ok: true, value: found };
  for await (const page of walk(client, call, { action, ids })) {
    if (!page.ok) return page;
    for (const item of page.value.items) found.set(item.id, item);
  }
  return { ok: true, value: found };
}

/** Follows `next` to the end, or to the first page that fails. */
async function* walk<A extends ListAction>(
  client: Client,
  call: Call,
  { action, ids }: { readonly action: A; readonly ids?: readonly string[] },
): AsyncGenerator<Result<Page<Item<A>>>> {
  let after: string | undefined;
  do {
    const listing: Listing = { ...(ids && { ids }), ...(after !== undefined && { after }) };
    // why: every List action takes a Listing and answers a Page of its items; TypeScript cannot see it for all at once
    const page = (await client.send(call, action, listing as Input<A>)) as Result<Page<Item<A>>>;
    yield page;
    after = page.ok ? page.value.next : undefined;
  } while (after !== undefined);
}
