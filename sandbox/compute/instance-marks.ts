import { invalid } from './errors.ts';
import type { metadataMessage } from './instance-message.ts';
import type { Labels, Marks } from './records.ts';

/** https://docs.cloud.google.com/compute/docs/labeling-resources#requirements; international letters are allowed. */
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;

const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;

const MOST_LABELS = 64;

/** https://docs.cloud.google.com/vpc/docs/add-remove-network-tags#restrictions */
const TAG = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

const MOST_TAGS = 64;

/** https://docs.cloud.google.com/compute/docs/metadata/setting-custom-metadata#limitations, in bytes */
const METADATA_KEY = /^[a-zA-Z0-9-_]{1,128}$/;

const METADATA_VALUE = 262_144;

const METADATA_TOTAL = 524_288;

export function checkedLabels(given: Labels | undefined, field: string): Labels {
  const labels = given ?? new Map<string, string>();
  if (labels.size > MOST_LABELS)
    throw invalid(field, '', `The number of labels can be at most ${MOST_LABELS}, but ${labels.size} were given.`);
  for (const [key, value] of labels) {
    if (!LABEL_KEY.test(key))
      throw invalid(
        field,
        '',
        `Label key '${key}' violates format constraints. The key must start with a lowercase character, can only contain lowercase letters, numeric characters, underscores and dashes. The key can be at most 63 characters long. International characters are allowed.`,
      );
    if (!LABEL_VALUE.test(value))
      throw invalid(
        field,
        '',
        `Label value '${value}' violates format constraints. The value can only contain lowercase letters, numeric characters, underscores and dashes. The value can be at most 63 characters long. International characters are allowed.`,
      );
  }
  return labels;
}

export function checkedTags(items: readonly string[] | undefined, field: string): Marks['tags'] {
  const tags = items ?? [];
  if (tags.length > MOST_TAGS) throw invalid(field, '', `The number of tags can be at most ${MOST_TAGS}.`);
  for (const [index, tag] of tags.entries())
    if (!TAG.test(tag))
      throw invalid(`${field}[${index}]`, tag, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  const twice = tags.find((tag, index) => tags.indexOf(tag) !== index);
  if (twice !== undefined) throw invalid(field, twice, 'Duplicate tags are not allowed.');
  return tags;
}

export function checkedMetadata(given: ReturnType<typeof metadataMessage> | undefined, field: string): Labels {
  const metadata = new Map<string, string>();
  let bytes = 0;
  for (const [index, { key = '', value = '' }] of (given?.items ?? []).entries()) {
    const at = `${field}.items[${index}]`;
    if (!METADATA_KEY.test(key)) throw invalid(`${at}.key`, key, "Must be a match of regex '[a-zA-Z0-9-_]{1,128}'");
    if (metadata.has(key)) throw invalid(field, key, `Metadata has duplicate keys: ${key}`);
    const size = Buffer.byteLength(value);
    if (size > METADATA_VALUE) throw invalid(`${at}.value`, `${size} bytes`, `At most ${METADATA_VALUE} bytes.`);
    bytes += key.length + size;
    metadata.set(key, value);
  }
  if (bytes > METADATA_TOTAL) throw invalid(field, `${bytes} bytes`, `At most ${METADATA_TOTAL} bytes in all.`);
  return metadata;
}
