import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Of this process: without it nobody can choose what is compared. */
const key = randomBytes(32);

/** Whether these are the same text, in a time that depends on neither's content, nor on the secret's length. */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  return timingSafeEqual(digestOf(given ?? ''), digestOf(secret)) && secret !== '';
}

const digestOf = (text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Whether `given` is the HMAC-SHA256 of these bytes, in constant time. Undefined never is. */
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
