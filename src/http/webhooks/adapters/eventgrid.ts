import {
  type Delivery,
  header,
  isObject,
  parseJson,
  type RawRequest,
  type ReadResult,
  textOf,
  type WebhookAdapter,
} from '../adapter.ts';
import { isSameSecret } from '../signatures.ts';

/**
 * Azure Event Grid, in its own schema and in that of CloudEvents, alone or in batches:
 * https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema
 * https://learn.microsoft.com/azure/event-grid/end-point-validation-cloud-events-schema
 * https://learn.microsoft.com/azure/event-grid/secure-webhook-delivery
 *
 * It signs nothing. The hook's secret is in the address, as `?code=…`, or in a header `x-api-key` that the subscription's
 * delivery properties set. Handshakes need it too. `validationUrl` is never asked.
 */
export const eventgrid: WebhookAdapter<string> = {
  cloud: 'azure',
  verify: ({ headers, query }, secret) => {
    const codes = query.getAll('code');
    const given = codes.length > 0 ? codes.join(',') : header(headers, 'x-api-key');
    return isSameSecret(given, secret) ? 'genuine' : 'forged';
  },
  read: (request) => {
    const body = parseJson(request.body);
    const events: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (isValidation(request)) return validation(events);
    if (events.length > mostEvents)
      return { as: 'malformed', why: `the body is no batch of Event Grid: it has more than ${mostEvents} events` };
    const deliveries = events.flatMap((event): readonly Delivery[] => {
      const id = textOf(event, 'id');
      return id === undefined ? [] : [{ id: `${sourceOf(event)} ${id}`, event }];
    });
    if (deliveries.length < events.length || events.length === 0)
      return { as: 'malformed', why: 'the body is no list of events of Event Grid: each has an id' };
    return { as: 'deliveries', deliveries };
  },
  handshake: ({ headers }) => {
    const origin = header(headers, 'webhook-request-origin');
    if (origin === undefined || !/^[A-Za-z0-9.*-]{1,253}$/.test(origin)) return undefined;
    return { allow: 'POST, OPTIONS', 'webhook-allowed-origin': origin, 'webhook-allowed-rate': allowedPerMinute };
  },
};

/** "This number will never be exceeded": https://learn.microsoft.com/azure/event-grid/delivery-and-retry#output-batching */
const mostEvents = 5_000;

/** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md#42-validation-response */
const allowedPerMinute = '600';

/** CloudEvents asks for ids that are unique within a source; Event Grid calls that a topic. */
const sourceOf = (event: unknown): string => textOf(event, 'source') ?? textOf(event, 'topic') ?? '';

export const isValidation = ({ headers }: Pick<RawRequest, 'headers'>): boolean =>
  header(headers, 'aeg-event-type') === 'SubscriptionValidation';

function validation(events: readonly unknown[]): ReadResult {
  const [event] = events;
  const data = isObject(event) ? event['data'] : undefined;
  const code = textOf(data, 'validationCode');
  const asked = textOf(event, 'eventType') === 'Microsoft.EventGrid.SubscriptionValidationEvent';
  if (!asked || events.length !== 1 || code === undefined || code.length > 256)
    return { as: 'malformed', why: 'the body is no SubscriptionValidationEvent with a validationCode' };
  return { as: 'handshake', answer: { validationResponse: code } };
}
