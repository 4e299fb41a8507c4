import { missing, refused } from './errors.ts';
import { list, record, text } from './query.ts';
import type { Tags } from './records.ts';
import { el, set } from './xml.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions */
const MAX_TAGS = 50;

const MAX_KEY = 128;

const MAX_VALUE = 256;

export const noTags: Tags = new Map();

/** The tags that a creating call gives to objects of `type`; a specification for a type it does not make is refused. */
export function specifiedTags(
  specifications: readonly TagSpecification[] | undefined,
  type: string,
  makes: readonly string[] = [type],
): Tags {
  for (const { ResourceType } of specifications ?? []) {
    if (!ResourceType) throw missing('ResourceType');
    if (!makes.includes(ResourceType)) {
      throw refused(
        'InvalidParameterValue',
        `'${ResourceType}' is not a valid taggable resource type for this operation.`,
      );
    }
  }
  const wanted = (specifications ?? []).filter((specification) => specification.ResourceType === type);
  if (wanted.some((specification) => !specification.Tag?.length)) {
    throw refused('InvalidParameterValue', 'Tag specification must have at least one tag');
  }
  return merged(
    noTags,
    wanted.flatMap((specification) => specification.Tag ?? []),
  );
}

/** `tags` with `added` set, within EC2's rules for keys, values and numbers. */
export function merged(tags: Tags, added: readonly WireTag[]): Tags {
  const next = new Map(tags);
  const seen = new Set<string>();
  for (const { Key, Value } of added) {
    const key = checkedKey(Key);
    if (seen.has(key)) throw refused('InvalidParameterValue', `Duplicate tag key '${key}' specified.`);
    seen.add(key);
    if ((Value ?? '').length > MAX_VALUE)
      throw refused('InvalidParameterValue', `Tag value exceeds the maximum length of ${MAX_VALUE} characters`);
    next.set(key, Value ?? '');
  }
  const own = [...next.keys()].filter((key) => !key.startsWith('aws:')).length;
  if (own > MAX_TAGS) throw refused('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
  return next;
}

export function checkedKey(key: string | undefined): string {
  if (!key) throw refused('InvalidParameterValue', 'Tag key cannot be empty');
  if (key.length > MAX_KEY)
    throw refused('InvalidParameterValue', `Tag key exceeds the maximum length of ${MAX_KEY} characters`);
  if (key.toLowerCase().startsWith('aws:')) {
    throw refused('InvalidParameterValue', `Tag keys starting with 'aws:' are reserved for internal use`);
  }
  return key;
}

export function tagSet(tags: Tags): string {
  if (tags.size === 0) return '<tagSet/>';
  return set(
    'tagSet',
    [...tags].map(([key, value]) => el('key', key) + el('value', value)),
  );
}

export const tagShape = record({ Key: text, Value: text });

export const tagField = { TagSpecification: list(record({ ResourceType: text, Tag: list(tagShape) })) } as const;

export interface WireTag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

interface TagSpecification {
  readonly ResourceType?: string | undefined;
  readonly Tag?: readonly WireTag[] | undefined;
}
