import { type Filter, filterField } from './filters.ts';
import { integer, text } from './wire/fields.ts';

export const pageFields = { MaxResults: integer, NextToken: text } as const;

export const listFields = { ...filterField, ...pageFields } as const;

export interface ListInput {
  readonly Filter?: readonly Filter[] | undefined;
  readonly MaxResults?: number | undefined;
  readonly NextToken?: string | undefined;
}
