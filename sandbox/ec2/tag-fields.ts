import { list, record, text } from './wire/fields.ts';

export const tagShape = record({ Key: text, Value: text });

export const tagField = { TagSpecification: list(record({ ResourceType: text, Tag: list(tagShape) })) } as const;

export interface WireTag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

export interface TagSpecification {
  readonly ResourceType?: string | undefined;
  readonly Tag?: readonly WireTag[] | undefined;
}
