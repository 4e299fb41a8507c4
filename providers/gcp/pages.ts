import type { Failure, Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Call, ListingFailed } from '../../src/ports/provider.ts';
import { tooLarge } from '../shared/json-answer.ts';
import { idOf, type Named } from './cloud-id.ts';
import { pathOf } from './links.ts';
import type { Page } from './page.ts';
import { most } from './rate-limits.ts';

/** A page: the first has no token. `size`: of how many objects at most. */
export interface PageAsked {
  readonly token: string | undefined;
  readonly size: number;
}

export type AskPage<T> = (asked: PageAsked, call: Call) => Promise<Result<Page<T>>>;

/**
 * A whole listing. A page may be short or empty though more follow; only a missing token ends it. Where one is too large to be
 * read, smaller ones are asked for from there on. Throws `ListingFailed` where it cannot be whole: a refused page, a place that could
 * not be reached, an answer that is no listing, an object without its number, a token that comes twice, another project's object.
 */
export async function whole<T extends Named>(ask: AskPage<T>, project: string, call: Call): Promise<readonly T[]> {
  const found = new Map<CloudId, T>();
  const tokens = new Set<string>();
  let size: number = most.page;
  for (let token: string | undefined; ; ) {
    const answer = await ask({ token, size }, call);
    if (!answer.ok) {
      call.signal.throwIfAborted();
      if (answer.failure.code === tooLarge && size > most.smallPage) {
        size = Math.max(most.smallPage, size / 10);
        continue;
      }
      throw new ListingFailed(answer.failure.code, answer.failure.message, answer.failure);
    }
    const doubt = incompleteReason(answer.value);
    if (doubt) throw new ListingFailed(doubt.code, doubt.message, doubt);
    for (const item of answer.value.items) found.set(ownId(item, project), item);
    const { next } = answer.value;
    if (next === '') return [...found.values()];
    if (tokens.has(next)) throw new ListingFailed('TokenLoop', 'the cloud answered the same page token twice');
    tokens.add(next);
    token = next;
  }
}

/** A listing inside another step: that it failed is the step's failure. */
export async function answered<T>(listing: Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await listing };
  } catch (error) {
    if (!(error instanceof ListingFailed)) throw error;
    return { ok: false, failure: error.failure ?? { kind: 'terminal', code: error.code, message: error.message } };
  }
}

/** Warnings that take nothing from a listing. https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList */
const harmless: ReadonlySet<string> = new Set([
  'NO_RESULTS_ON_PAGE',
  'DEPRECATED_RESOURCE_USED',
  'DEPRECATED_TYPE_USED',
  'EXPERIMENTAL_TYPE_USED',
]);

function incompleteReason({ kind, warnings, unreachables }: Page<unknown>): Failure | undefined {
  if (!kind.endsWith('List'))
    return passing('NoListing', `the cloud answered a listing with ${kind || 'something else'}`);
  const warning = warnings.find(({ code }) => !harmless.has(String(code ?? '')));
  if (warning) return passing(String(warning.code), `the listing is incomplete: ${warning.message ?? warning.code}`);
  const [place] = unreachables;
  return place === undefined ? undefined : passing('UNREACHABLE', `${place} could not be reached`);
}

const passing = (code: string, message: string): Failure => ({ kind: 'retryable', code, message });

/** Credentials that show another project's objects would make us plan against the wrong world. */
function ownId(item: Named, project: string): CloudId {
  const id = idOf(item);
  if (id === undefined)
    throw new ListingFailed('NoNumber', `the cloud listed ${item.selfLink ?? 'an object'} without its number`);
  const owner = pathOf(item.selfLink ?? '').split('/')[1];
  if (owner === project) return id;
  const message = `the target names project ${project}, but the cloud listed an object of ${owner}`;
  throw new ListingFailed('wrong-account', message, { kind: 'terminal', code: 'wrong-account', message });
}
