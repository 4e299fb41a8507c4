import { sha256 } from '../../sha256.ts';
import { header, noDeliveries, type WebhookAdapter } from '../adapter.ts';
import { isSignature } from '../signatures.ts';

/**
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
 *
 * `X-Hub-Signature-256: sha256=<hex>` covers the body and nothing else. So `X-GitHub-Delivery` can be replaced by whoever
 * replays a body, and the delivery is known by its body: GitHub repeats one with the same, and two pushes never share one.
 */
export const github: WebhookAdapter<string> = {
  verify: ({ headers, body }, secret) =>
    isSignature(signatureOf(header(headers, 'x-hub-signature-256')), secret, [body]) ? 'genuine' : 'forged',
  read: ({ headers, body }) => {
    if (header(headers, 'x-github-event') === 'ping') return noDeliveries;
    return { as: 'deliveries', deliveries: [{ id: sha256(body) }] };
  },
};

function signatureOf(text: string | undefined): Buffer | undefined {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(text ?? '')?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}
