import type { Touch } from '../../src/core/last-modified.ts';
import { fieldsOf, given, textOf, timeOf } from '../shared/event-fields.ts';
import { touchedIds } from './touched-ids.ts';

/**
 * An event of CloudTrail as EventBridge brings it, `AWS API Call via CloudTrail`:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html
 * https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html
 *
 * Calls that failed, calls that only read, and those of other services say nothing.
 */
export function touches(event: unknown): readonly Touch[] {
  try {
    return touchesOf(event);
  } catch {
    return [];
  }
}

function touchesOf(event: unknown): readonly Touch[] {
  const envelope = fieldsOf(event);
  const detail = fieldsOf(envelope['detail']);
  if (detail['eventSource'] !== 'ec2.amazonaws.com' || detail['readOnly'] === true) return [];
  if (detail['errorCode'] !== undefined || detail['errorMessage'] !== undefined) return [];
  const action = textOf(detail['eventName']);
  const name = textOf(detail['eventID']) ?? textOf(envelope['id']);
  const at = timeOf(detail['eventTime']);
  const place = placeOf(envelope, detail);
  if (action === undefined || name === undefined || at === undefined || place === undefined) return [];
  const asked = fieldsOf(detail['requestParameters']);
  const answered = fieldsOf(detail['responseElements']);
  const objects = touchedIds({ action, account: place.account, asked, answered });
  if (objects === undefined) return [];
  const from = textOf(detail['sourceIPAddress']);
  const agent = textOf(detail['userAgent']);
  const actor = { who: whoOf(detail['userIdentity']), action, ...given({ from, agent }) };
  const requestId = textOf(detail['requestID']);
  return [{ scope: place.scope, event: name, at, actor, objects: [...new Set(objects)], ...given({ requestId }) }];
}

function placeOf(envelope: ReturnType<typeof fieldsOf>, detail: ReturnType<typeof fieldsOf>) {
  const account = textOf(detail['recipientAccountId']) ?? textOf(envelope['account']) ?? '';
  const region = textOf(detail['awsRegion']) ?? textOf(envelope['region']) ?? '';
  const isPlace = /^\d{12}$/.test(account) && /^[a-z0-9-]+$/.test(region);
  return isPlace ? { account, scope: `aws/${account}/${region}` } : undefined;
}

/** https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-user-identity.html: services have no ARN. */
function whoOf(identity: unknown): string {
  const { arn, invokedBy, principalId, accountId, type } = fieldsOf(identity);
  return [arn, invokedBy, principalId, accountId, type].map(textOf).find((one) => one !== undefined) ?? 'unknown';
}
