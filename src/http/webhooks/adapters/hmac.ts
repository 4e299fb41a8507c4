import { createHmac } from 'node:crypto';
import { signatureToleranceMs } from '../../limits.ts';
import { header, unixSeconds, type WebhookAdapter } from '../adapter.ts';
import { isSignature } from '../signatures.ts';

/**
 * For senders of one's own: a script, a server's hook after a push. The signature covers the time and the delivery's id too,
 * so neither can be replaced in what somebody else recorded.
 *
 *   X-Setpoint-Delivery: <1 to 128 of A-Z a-z 0-9 _ ->
 *   X-Setpoint-Signature: t=<seconds since the epoch>,v1=<hex of HMAC-SHA256 over "<t>.<delivery>.<body>">
 */
export const hmac: WebhookAdapter<string> = {
  verify: ({ headers, body, at }, secret) => {
    const [, time = '', hex = ''] = signature.exec(header(headers, 'x-setpoint-signature') ?? '') ?? [];
    const delivery = header(headers, 'x-setpoint-delivery') ?? '';
    const genuine = isSignature(Buffer.from(hex, 'hex'), secret, [`${time}.${delivery}.`, body]);
    const sent = unixSeconds(time);
    if (!genuine || sent === undefined || !/^[\w-]{1,128}$/.test(delivery)) return 'forged';
    return Math.abs(at - sent) <= signatureToleranceMs ? 'genuine' : 'stale';
  },
  read: ({ headers }) => ({ as: 'deliveries', deliveries: [{ id: header(headers, 'x-setpoint-delivery') ?? '' }] }),
};

const signature = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/** The headers that such a sender sends. `at`: ms since the epoch. */
export function hmacHeaders(
  secret: string,
  { delivery, at, body }: { readonly delivery: string; readonly at: number; readonly body: string | Buffer },
): Readonly<Record<string, string>> {
  const time = Math.floor(at / 1000);
  const hex = createHmac('sha256', secret).update(`${time}.${delivery}.`).update(body).digest('hex');
  return { 'x-setpoint-delivery': delivery, 'x-setpoint-signature': `t=${time},v1=${hex}` };
}
