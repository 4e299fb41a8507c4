import { z } from 'zod';
import type { Issuer } from '../../core/access/access-document.ts';
import { messageOf } from '../../core/text.ts';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import type { AllowedAddresses, FetchJson } from './fetch-json.ts';

/** A public key, as an issuer shows it: https://www.rfc-editor.org/rfc/rfc7517. */
export type Jwk = Readonly<z.output<typeof jwk>>;

const jwk = z.looseObject({
  kty: z.string(),
  kid: z.string().optional(),
  use: z.string().optional(),
  alg: z.string().optional(),
});
const jwks = z.object({ keys: z.array(jwk).max(100) });
const discovery = z.object({ issuer: z.string(), jwks_uri: z.string().max(2_000) });

/** Keys of one issuer. */
export interface IssuerKeys {
  /** All keys by this name. Rejects while the issuer is unavailable. */
  by(kid: unknown): Promise<readonly Jwk[]>;
}

export interface KeyDependencies {
  readonly fetchJson: FetchJson;
  readonly clock: Clock;
  readonly log: Log;
}

/** They are asked for again so often; count so long where they cannot be had; for a name that is not among them; and after they could not be had. */
const freshMs = 10 * 60_000;
const staleMs = 60 * 60_000;
const unknownKeyMs = 60_000;
const retryMs = 10_000;

interface CachedKeys {
  readonly keys: readonly Jwk[];
  readonly at: number;
}

/**
 *   keys held | the name is among them | it is not
 *   <  1 min  | they count             | there is none
 *   < 10 min  | they count             | they are fetched
 *   <  1 h    | they are fetched; where they cannot be had, they count if the name is among them
 *   older     | they are fetched; where they cannot be had, nobody can tell
 */
export function issuerKeys(issuer: Issuer, { fetchJson, clock, log }: KeyDependencies): IssuerKeys {
  let cached: CachedKeys | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;
  const fetchAll = async (): Promise<void> => {
    try {
      const keys = await keysAt(issuer, fetchJson);
      cached = { keys, at: clock.now() };
    } catch (error) {
      failedAt = clock.now();
      log.warn('cannot get the keys of an issuer', { issuer: issuer.issuer, reason: whyOf(error) });
    } finally {
      fetching = undefined;
    }
  };
  const named = (kid: unknown): readonly Jwk[] => cached?.keys.filter((key) => key.kid === kid) ?? [];
  const age = (): number => clock.now() - (cached?.at ?? Number.NEGATIVE_INFINITY);
  return {
    by: async (kid) => {
      if (age() < (named(kid).length > 0 ? freshMs : unknownKeyMs)) return named(kid);
      if (clock.now() - failedAt >= retryMs) fetching ??= fetchAll();
      await fetching;
      const isFresh = age() < unknownKeyMs;
      if (isFresh || (age() < staleMs && named(kid).length > 0)) return named(kid);
      throw new Error('the keys of the issuer cannot be had');
    },
  };
}

const whyOf = (error: unknown): string => messageOf(error).slice(0, 200);

async function keysAt(issuer: Issuer, fetchJson: FetchJson): Promise<readonly Jwk[]> {
  const allowed: AllowedAddresses = { allowLocal: issuer.allowLocal ?? false, networks: issuer.networks ?? [] };
  const url = issuer.jwks ?? (await discovered(issuer.issuer, (at) => fetchJson(at, allowed)));
  const read = jwks.safeParse(await fetchJson(url, allowed));
  if (!read.success) throw new Error('its keys are no JSON Web Key Set');
  return read.data.keys;
}

/** https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfigurationValidation */
async function discovered(issuer: string, fetch: (url: string) => Promise<unknown>): Promise<string> {
  const read = discovery.safeParse(await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
  if (!read.success) throw new Error('its discovery document has no issuer or no jwks_uri');
  if (read.data.issuer !== issuer) throw new Error('its discovery document is of another issuer');
  return read.data.jwks_uri;
}
