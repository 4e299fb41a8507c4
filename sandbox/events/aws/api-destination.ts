import type { Carrier, Verdict } from '../carrier.ts';
import type { AwsDestination } from '../destination.ts';

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html, authorised by an API key of its connection. */
export function apiDestination({ apiKey, header = 'x-api-key' }: AwsDestination): Carrier {
  return {
    post: (event) => ({
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Amazon/EventBridge/ApiDestinations',
        [header]: apiKey,
      },
      body: JSON.stringify(event),
    }),
    verdict,
  };
}

/** "401, 407, 409, 429, and 5xx" are retried: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html */
function verdict(status: number): Verdict {
  if (status >= 200 && status < 300) return 'taken';
  return status >= 500 || [401, 407, 409, 429].includes(status) ? 'again' : 'refused';
}
