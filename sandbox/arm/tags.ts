import { mapOf, optional, type Reader, scalar } from '../json.ts';
import { refused } from './errors.ts';
import type { Tags } from './records.ts';

export const noTags: Tags = new Map();

export const tagsField: Reader<Tags | undefined> = optional(mapOf(scalar('string')));

/**
 * Names differ by more than case, hold none of `<>%&\?/` and at most 512 characters; values at most 256.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
 */
export function checkedTags(tags: Tags | undefined): Tags {
  if (!tags) return noTags;
  if (tags.size > 50) throw refused('InvalidTagCount', 'The number of tags on a resource must not be larger than 50.');
  const known = new Set<string>();
  for (const [name, value] of tags) {
    if (known.has(name.toLowerCase())) throw refused('DuplicateTagName', `The tag name '${name}' is used twice.`);
    known.add(name.toLowerCase());
    if (name === '' || name.length > 512 || /[<>%&\\?/]/.test(name))
      throw refused('InvalidTagNameCharacters', `The tag name '${name}' has reserved characters, or is too long.`);
    if (value.length > 256) throw refused('InvalidTagValueLength', `The value of the tag '${name}' is too long.`);
  }
  return tags;
}

/** `{ "tags": { … } }` as answers have it; nothing for a resource that never had any. */
export function tagsBody(tags: Tags): { readonly tags?: Readonly<Record<string, string>> } {
  return tags.size === 0 ? {} : { tags: Object.fromEntries(tags) };
}
