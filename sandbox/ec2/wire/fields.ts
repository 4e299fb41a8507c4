import type { Fields, Shape } from './shape.ts';

export const text = { kind: 'text' } as const;

export const integer = { kind: 'integer' } as const;

export const flag = { kind: 'flag' } as const;

export const list = <const S extends Shape>(of: S): { readonly kind: 'list'; readonly of: S } => ({ kind: 'list', of });

export const record = <const F extends Fields>(fields: F): { readonly kind: 'record'; readonly fields: F } => ({
  kind: 'record',
  fields,
});
