import type { Accounts } from '../../ec2/identity.ts';
import { hexDigits, type Random } from '../../random.ts';
import type { Source } from '../written.ts';
import { cloudTrailRecord } from './cloud-trail-record.ts';
import { eventTime } from './event-time.ts';

export interface Trail {
  readonly accounts: Accounts;
  readonly random: Random;
}

/** What CloudTrail gives the default event bus: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html */
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
