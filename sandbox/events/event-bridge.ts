import type { Accounts } from '../ec2/accounts.ts';
import { hexDigits, type Random } from '../random.ts';
import type { Carrier, Source, Verdict } from './carrier.ts';
import { cloudTrailRecord, eventTime } from './cloud-trail.ts';
import type { AwsDestination } from './destination.ts';

interface Trail {
  readonly accounts: Accounts;
  readonly random: Random;
}

/** CloudTrail's events on the default event bus: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html */
export function eventBridge({ accounts, random }: Trail): Source {
  return async function* (written) {
    const { call, time } = written;
    yield {
      version: '0',
      id: guid(random),
      'detail-type': 'AWS API Call via CloudTrail',
      source: 'aws.ec2',
      account: call.account,
      time: eventTime(time),
      region: call.region,
      resources: [],
      detail: cloudTrailRecord(written, accounts.caller(written.request), guid(random)),
    };
  };
}

function guid(random: Random): string {
  const digits = hexDigits(random, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

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
