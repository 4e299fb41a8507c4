import { z } from 'zod';
import type { Issuer } from '../../../core/access/access-document.ts';

/** What we look at of what a token says, each of the type that it must have. Times are seconds since the epoch. */
export type Claims = Readonly<z.output<typeof registered>> & {
  readonly person?: string | undefined;
  readonly groups?: readonly string[] | undefined;
};

const shown = (most: number) => z.string().regex(new RegExp(`^[^\\p{C}]{1,${most}}$`, 'u'));
const seconds = () => z.number().int().positive();

/** https://www.rfc-editor.org/rfc/rfc7519#section-4.1, https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
const registered = z.object({
  iss: shown(500),
  sub: shown(255),
  aud: z.union([shown(500), z.array(shown(500)).min(1).max(20)]),
  exp: seconds(),
  iat: seconds(),
  nbf: seconds().optional(),
  azp: shown(500).optional(),
  email: shown(320).optional(),
  email_verified: z.boolean().optional(),
  events: z.unknown().optional(),
  cnf: z.unknown().optional(),
});

const named = z.object({ person: shown(300).optional(), groups: z.array(shown(300)).max(1_000).optional() });

/** Undefined: something has another type, or is missing. What an issuer calls its people and groups has our names for it here. */
export function claimsOf(
  said: Readonly<Record<string, unknown>>,
  { claims: { person, groups } = {} }: Issuer,
): Claims | undefined {
  const base = registered.safeParse(said);
  const more = named.safeParse({ person: said[person ?? 'email'], groups: said[groups ?? 'groups'] });
  return base.success && more.success ? { ...base.data, ...more.data } : undefined;
}
