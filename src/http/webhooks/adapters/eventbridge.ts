import { header, parseJson, textOf, type WebhookAdapter } from '../adapter.ts';
import { isSameSecret } from '../signatures.ts';

/**
 * An API destination of Amazon EventBridge, whose connection sends an API key:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
 *
 * The connection's key is named `x-api-key`; its value is the hook's secret. One request is one event, and its `id` stays the
 * same when EventBridge tries again, for up to 24 hours: so the event's own `time` is no sign of a replay.
 */
export const eventbridge: WebhookAdapter<string> = {
  cloud: 'aws',
  verify: ({ headers }, secret) => (isSameSecret(header(headers, 'x-api-key'), secret) ? 'genuine' : 'forged'),
  read: ({ body }) => {
    const event = parseJson(body);
    const id = textOf(event, 'id');
    if (id === undefined) return { as: 'malformed', why: 'the body is no event of EventBridge: it has no id' };
    return { as: 'deliveries', deliveries: [{ id, event }] };
  },
};
