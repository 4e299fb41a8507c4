import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { signatureToleranceMs } from '../limits.ts';
import { header, type RawRequest, unixSeconds, type Verdict } from './adapter.ts';

/** Of this process: without it nobody can choose what is compared. */
const processKey = randomBytes(32);

/** Compares two texts in a time that depends on neither's content, nor on the secret's length. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  return timingSafeEqual(digestOf(given ?? ''), digestOf(secret)) && secret !== '';
}

const digestOf = (text: string): Buffer => createHmac('sha256', processKey).update(text).digest();

/** True where `given` is the HMAC-SHA256 of these bytes, in constant time. Undefined never is. */
export function isSignature(
  given: Buffer | undefined,
  secret: string | Buffer,
  signed: readonly (string | Buffer)[],
): boolean {
  const hmac = createHmac('sha256', secret);
  for (const part of signed) hmac.update(part);
  const wanted = hmac.digest();
  // why: what has another length is compared all the same, so that it takes as long
  const compared = given?.length === wanted.length ? given : Buffer.alloc(wanted.length);
  return timingSafeEqual(compared, wanted) && secret.length > 0;
}

const standardSecret = /^whsec_([A-Za-z0-9+/]{32,128}={0,2})$/;

/** True where a secret is the key of a standard webhook: `whsec_`, and 24 bytes or more in base64. */
export const isStandardSecret = (secret: string): boolean => standardSecret.test(secret);

/**
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md: `webhook-signature` holds one or
 * more of `v1,<base64>`, each the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`.
 */
export function verifyStandard({ headers, body, at }: RawRequest, secret: string): Verdict {
  const key = Buffer.from(standardSecret.exec(secret)?.[1] ?? '', 'base64');
  const id = header(headers, 'webhook-id') ?? '';
  const time = header(headers, 'webhook-timestamp') ?? '';
  const given = (header(headers, 'webhook-signature') ?? '').split(' ', mostSignatures).map(signatureOf);
  const genuine = given.filter((each) => isSignature(each, key, [`${id}.${time}.`, body])).length > 0;
  const sent = unixSeconds(time);
  // why: an id with a dot could pass a part of itself off as the time
  if (!genuine || sent === undefined || !/^[^.]{1,256}$/.test(id)) return 'forged';
  return Math.abs(at - sent) <= signatureToleranceMs ? 'genuine' : 'stale';
}

/** While a key is replaced a sender signs with both. */
const mostSignatures = 4;

function signatureOf(text: string): Buffer | undefined {
  const base64 = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text)?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
