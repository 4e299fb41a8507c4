import { toleranceMs } from '../limits.ts';
import { header, unixSeconds } from './header.ts';
import { isSignature } from './same-secret.ts';
import type { Arrival, Verdict } from './sender.ts';

const form = /^whsec_([A-Za-z0-9+/]{32,128}={0,2})$/;

/** Whether a secret is the key of a standard webhook: `whsec_`, and 24 bytes or more in base64. */
export const isStandardKey = (secret: string): boolean => form.test(secret);

/**
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md: `webhook-signature` holds one or
 * more of `v1,<base64>`, each the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`.
 */
export function verifyStandard({ headers, body, at }: Arrival, secret: string): Verdict {
  const key = Buffer.from(form.exec(secret)?.[1] ?? '', 'base64');
  const id = header(headers, 'webhook-id') ?? '';
  const time = header(headers, 'webhook-timestamp') ?? '';
  const given = (header(headers, 'webhook-signature') ?? '').split(' ', mostSignatures).map(signatureOf);
  const genuine = given.filter((each) => isSignature(each, key, [`${id}.${time}.`, body])).length > 0;
  const sent = unixSeconds(time);
  // why: an id with a dot could pass a part of itself off as the time
  if (!genuine || sent === undefined || !/^[^.]{1,256}$/.test(id)) return 'forged';
  return Math.abs(at - sent) <= toleranceMs ? 'genuine' : 'stale';
}

/** While a key is replaced a sender signs with both. */
const mostSignatures = 4;

function signatureOf(text: string): Buffer | undefined {
  const base64 = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text)?.[1];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
