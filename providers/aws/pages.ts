import type { Failure, Result } from '../../src/core/failure.ts';
import type { Call } from '../../src/ports/actuator.ts';
import { ListingFailed } from '../../src/ports/provider.ts';

/** Asks for one page: the first without a token. */
export type Ask<T> = (token: string | undefined, call: Call) => Promise<Result<Page<T>>>;

/** `owners`: whose the items are, where the cloud says so. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
  readonly owners: readonly (string | undefined)[];
}

/**
 * A whole listing, page by page. A page may be short or empty though more follow; only a missing token ends it
 * (https://github.com/seek-oss/aec/issues/405). Throws `ListingFailed` where it cannot be whole: a refused page, a token
 * that comes twice, an object of another account.
 */
export async function* pages<T>(ask: Ask<T>, account: string, call: Call): AsyncGenerator<readonly T[]> {
  const tokens = new Set<string>();
  for (let token: string | undefined; ; ) {
    const answer = await ask(token, call);
    if (!answer.ok) {
      call.signal.throwIfAborted();
      throw new ListingFailed(answer.failure.code, answer.failure.message, answer.failure);
    }
    const { items, next, owners } = answer.value;
    const wrong = wrongOwner(owners, account);
    if (wrong) throw new ListingFailed(wrong.code, wrong.message, wrong);
    if (items.length > 0) yield items;
    if (!next) return;
    if (tokens.has(next)) throw new ListingFailed('TokenLoop', 'the cloud answered the same page token twice');
    tokens.add(next);
    token = next;
  }
}

/** Credentials that see another account's objects would make us plan against the wrong world. */
function wrongOwner(owners: readonly (string | undefined)[], account: string): Failure | undefined {
  const other = owners.find((owner) => owner !== undefined && owner !== '' && owner !== account);
  if (other === undefined) return undefined;
  const message = `the target names account ${account}, but the cloud listed objects of ${other}`;
  return { kind: 'terminal', code: 'wrong-account', message };
}

/** What was described by name, if all of it is this account's. */
export function ownedBy<T extends { readonly OwnerId?: string | undefined }>(
  account: string,
  items: readonly T[] = [],
): Result<readonly T[]> {
  const owners = items.map(({ OwnerId }) => OwnerId);
  const failure = wrongOwner(owners, account);
  return failure ? { ok: false, failure } : { ok: true, value: items };
}
