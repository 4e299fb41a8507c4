import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done, failed } from '../shared/answer.ts';
import { unsupportedOn } from '../shared/unsupported.ts';
import type { Client, Sdk } from './client.ts';
import { guidOf } from './ids.ts';
import type { Tags } from './tags.ts';
import { saysNothing, type TagEdit, tagsAfter } from './tags-after.ts';

/** The resource properties that a tag update uses. */
export interface Retagged extends TagEdit {
  readonly observed: Pick<Observed, 'id'>;
}

/** Reads a kind of resource and writes its tags. `etag` and `guid` where it has them. */
export interface Taggable {
  get(sdk: Sdk): Promise<{ readonly tags?: Tags; readonly etag?: string; readonly resourceGuid?: string }>;
  patch(sdk: Sdk, tags: Record<string, string>, options: PatchOptions): Promise<unknown>;
}

interface PatchOptions {
  readonly requestOptions?: { readonly headers: Record<string, string> };
}

/**
 * Writes labels and marks. A PATCH replaces the whole map of tags, so it is built from a GET made for it, and refused if
 * somebody tagged in between. Where another thing stands by that name now, it is not touched. Nothing to say: nothing is sent.
 */
export async function retag(
  item: Retagged,
  { get, patch }: Taggable,
  client: Client,
  call: Call,
): Promise<Result<void>> {
  const { observed } = item;
  if (saysNothing(item)) return done;
  const now = await client.ask(call, get);
  if (!now.ok) return now;
  const { tags, etag, resourceGuid } = now.value;
  if (isAnother(observed.id, resourceGuid))
    return failed('not-found', 'Replaced', `another resource has the name of ${observed.id} now`);
  const wrote = await client.ask(call, (sdk) => patch(sdk, tagsAfter(tags, item), ifMatch(etag)));
  return wrote.ok ? done : wrote;
}

/** Refused with 412 if it changed since. https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations */
export const ifMatch = (etag: string | undefined): PatchOptions =>
  etag === undefined ? {} : { requestOptions: { headers: { 'If-Match': etag } } };

/** True if the resource of this id is gone, and another one took its name. */
export const isAnother = (id: string, guid: string | undefined): boolean => {
  const known = guidOf(id);
  return known !== undefined && guid !== undefined && known !== guid.toLowerCase();
};

export const unsupported = unsupportedOn('Azure');
