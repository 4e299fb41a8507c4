/** What a request parameter may hold. Names are the wire's own (`Filter`, `VpcId`), not an SDK's. */
export type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'record'; readonly fields: Fields };

export type Fields = { readonly [name: string]: Shape };

/** The decoded value of a shape. Every field of a record may be absent: handlers say what they require. */
export type Value<S> = S extends { readonly kind: 'text' }
  ? string
  : S extends { readonly kind: 'integer' }
    ? number
    : S extends { readonly kind: 'flag' }
      ? boolean
      : S extends { readonly kind: 'list'; readonly of: infer E }
        ? readonly Value<E>[]
        : S extends { readonly kind: 'record'; readonly fields: infer F }
          ? Input<F>
          : never;

export type Input<F> = { readonly [K in keyof F]?: Value<F[K]> | undefined };
