import type { Caller } from '../../ec2/identity.ts';
import { requesterOf } from '../requester.ts';
import type { Written } from '../written.ts';
import { eventTime } from './event-time.ts';
import { requestParameters } from './request-parameters.ts';
import { responseElements } from './response-elements.ts';
import { userIdentity } from './user-identity.ts';

/** https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html */
export function cloudTrailRecord(written: Written, caller: Caller, eventID: string): object {
  const { call, request, requestId, response, time } = written;
  const { ip, agent } = requesterOf(request);
  return {
    eventVersion: '1.09',
    userIdentity: userIdentity(caller),
    eventTime: eventTime(time),
    eventSource: 'ec2.amazonaws.com',
    eventName: call.action,
    awsRegion: call.region,
    sourceIPAddress: ip,
    userAgent: agent,
    requestParameters: requestParameters(call),
    responseElements: responseElements(call.action, response.body),
    requestID: requestId,
    eventID,
    readOnly: false,
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: call.account,
    eventCategory: 'Management',
  };
}
