import { randomUUID } from 'node:crypto';
import type { Carrier, Post, Reception, Verdict } from '../carrier.ts';

/** https://learn.microsoft.com/azure/event-grid/webhook-event-delivery, subscribed to before the first event is sent. */
export function webhook(): Carrier {
  const validationCode = randomUUID().toUpperCase();
  return {
    post: (event, attempt) => post('Notification', event, attempt),
    verdict,
    greeting: {
      post: post('SubscriptionValidation', validation(validationCode), 1),
      accepts: (answer) => echoes(answer, validationCode),
    },
  };
}

/** Headers: https://learn.microsoft.com/azure/event-grid/receive-events */
function post(type: 'Notification' | 'SubscriptionValidation', event: object, attempt: number): Post {
  return {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'aeg-event-type': type,
      'aeg-subscription-name': 'SANDBOX',
      'aeg-data-version': '2',
      'aeg-metadata-version': '1',
      'aeg-delivery-count': String(attempt - 1),
    },
    body: JSON.stringify([event]),
  };
}

/**
 * The synchronous handshake: https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema. There
 * is no `validationUrl`, which would lead out of this machine.
 */
function validation(validationCode: string): object {
  return {
    id: randomUUID(),
    topic: '/subscriptions/11112222-3333-4444-8555-666677778888',
    subject: '',
    data: { validationCode },
    eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
    eventTime: new Date().toISOString(),
    metadataVersion: '1',
    dataVersion: '2',
  };
}

/** "You must return an HTTP 200 OK response status code"; 202 is no valid answer. */
function echoes({ status, body }: Reception, code: string): boolean {
  if (status !== 200) return false;
  try {
    const answer: unknown = JSON.parse(body);
    return (
      typeof answer === 'object' &&
      answer !== null &&
      'validationResponse' in answer &&
      answer.validationResponse === code
    );
  } catch {
    return false;
  }
}

/** https://learn.microsoft.com/azure/event-grid/delivery-and-retry has what is success, and what a webhook is not asked again after. */
function verdict(status: number): Verdict {
  if (status >= 200 && status <= 204) return 'taken';
  return [400, 401, 403, 404, 413].includes(status) ? 'refused' : 'again';
}
