import type { Context } from './action.ts';
import { refused } from './errors.ts';

interface Ask {
  readonly action: string;
  readonly token: string | undefined;
  /** The zone that the request names, by itself or by its subnet: a token is of that zone then, else of the Region. */
  readonly zone?: string | undefined;
  /** The decoded request; the token itself does not count. */
  readonly asked: object;
}

/** https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html: up to 64 ASCII characters */
const TOKEN = /^[\x20-\x7e]{1,64}$/;

/**
 * Makes something once per client token. A repeated request answers the ids made the first time, even if those
 * objects are gone by now; the same token with other parameters is refused, "other than the Region or Availability Zone".
 */
export function once(
  context: Context,
  { action, token, zone, asked }: Ask,
  make: () => readonly string[],
): readonly string[] {
  if (token === undefined) return make();
  if (!TOKEN.test(token))
    throw refused(
      'InvalidParameterValue',
      `Value (${token}) for parameter clientToken is invalid. It must be at most 64 ASCII characters.`,
    );
  const key = `${action} ${zone ?? ''} ${token}`;
  const { ClientToken: _, ...rest } = { ClientToken: undefined, ...asked };
  const text = canonical(rest);
  const earlier = context.region.tokens.get(key);
  if (earlier) {
    if (earlier.asked === text) return earlier.made;
    throw refused(
      'IdempotentParameterMismatch',
      `The client token you have provided is associated with a resource creation request that used different parameters.`,
    );
  }
  const made = make();
  context.region.tokens.set(key, { asked: text, made, at: context.now });
  return made;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
