import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import {
  header,
  isObject,
  noDeliveries,
  parseJson,
  type RawRequest,
  textOf,
  type Verdict,
  type WebhookAdapter,
} from '../adapter.ts';

/** The service account whose token is accepted. `keys`: Google's public keys. */
interface PushToken {
  readonly audience: string;
  readonly serviceAccount: string;
  readonly keys: JWTVerifyGetKey;
}

/**
 * A push subscription of Google Pub/Sub with authentication, that a sink of the audit logs feeds:
 * https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 * https://cloud.google.com/pubsub/docs/push#receive_push
 * https://cloud.google.com/logging/docs/export/pubsub
 *
 * The token is a JWT of Google for the subscription's service account; it covers no body. The audience is the hook's own, and
 * only Google's transport keeps others from reading it on its way. `event`: the LogEntry that `message.data` holds.
 */
export const pubsub: WebhookAdapter<PushToken> = {
  cloud: 'gcp',
  verify: async ({ headers, at }, wanted) => {
    const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header(headers, 'authorization') ?? '')?.[1];
    if (token === undefined || token.length > longestToken) return 'forged';
    return verifyToken(token, wanted, at);
  },
  read: ({ body }: RawRequest) => {
    const envelope = parseJson(body);
    const message = isObject(envelope) ? envelope['message'] : undefined;
    const id = textOf(message, 'messageId');
    if (id === undefined) return { as: 'malformed', why: 'the body is no message of Pub/Sub: it has no messageId' };
    const event = parseJson(Buffer.from(textOf(message, 'data') ?? '', 'base64'));
    // why: Pub/Sub repeats for days what is refused, and this message would never be another
    return isObject(event) ? { as: 'deliveries', deliveries: [{ id, event }] } : noDeliveries;
  },
};

const longestToken = 4096;
const issuer = 'https://accounts.google.com';

/** Google's tokens are good for an hour; clocks differ by seconds. */
const rules = {
  issuer,
  algorithms: ['RS256'],
  typ: 'JWT',
  requiredClaims: ['exp', 'iat', 'sub'],
  maxTokenAge: '2 hours',
  clockTolerance: '30 seconds',
};

async function verifyToken(token: string, wanted: PushToken, at: number): Promise<Verdict> {
  try {
    const keyed: JWTVerifyGetKey = (head, jws) => {
      // why: a token that names no key would be checked with whichever there is
      if (head.kid === undefined) throw new errors.JWKSNoMatchingKey();
      return wanted.keys(head, jws);
    };
    const { payload } = await jwtVerify(token, keyed, { ...rules, currentDate: new Date(at) });
    // why: jose takes a list that has ours in it, too
    const isTheirs =
      payload.aud === wanted.audience &&
      payload['email'] === wanted.serviceAccount &&
      payload['email_verified'] === true;
    return isTheirs ? 'genuine' : 'forged';
  } catch (error) {
    return verdictOf(error);
  }
}

/** Keys that cannot be fetched say nothing of the token. */
function verdictOf(error: unknown): Verdict {
  if (!(error instanceof errors.JOSEError)) return 'unproven';
  switch (error.code) {
    case 'ERR_JWT_EXPIRED':
      return 'stale';
    case 'ERR_JOSE_GENERIC':
    case 'ERR_JWKS_TIMEOUT':
    case 'ERR_JWKS_INVALID':
      return 'unproven';
    default:
      return 'forged';
  }
}

/** https://developers.google.com/identity/openid-connect/openid-connect#discovery (`jwks_uri`) */
const defaultKeysUrl = 'https://www.googleapis.com/oauth2/v3/certs';

/** Fetched when a token names a key that is not known, at most every 30 s; redirects are refused. */
export function googleKeys(): (url?: string) => JWTVerifyGetKey {
  const sets = new Map<string, JWTVerifyGetKey>();
  return (url = defaultKeysUrl) => {
    const before = sets.get(url);
    if (before) return before;
    const set = createRemoteJWKSet(new URL(url), { timeoutDuration: 4_000 });
    sets.set(url, set);
    return set;
  };
}
