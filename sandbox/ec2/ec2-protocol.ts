import type { Clock } from '../clock.ts';
import { type Answer, type Call, type Protocol, type Refusal, Refused } from '../protocol.ts';
import { type Accounts, signedFor } from './accounts.ts';
import { ACTIONS } from './actions/index.ts';
import { chargesOf, isRead } from './budget-table.ts';
import { refused } from './errors.ts';
import { decode, formParams } from './query.ts';
import type { Region } from './region.ts';
import { respellXml } from './spelling-table.ts';
import { el, wrap } from './xml.ts';

const VERSION = '2016-11-15';

export interface Ec2Parts {
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly regionOf: (account: string, name: string) => Region;
}

/** EC2's Query protocol: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html */
export function ec2Protocol({ clock, accounts, regionOf }: Ec2Parts): Protocol {
  return {
    accepts: (request) =>
      request.method === 'POST' && request.path.split('?')[0] === '/' && signedFor(request) !== 'sts',
    read: (request) => {
      const { account, region, service } = accounts.caller(request);
      if (service !== 'ec2') throw refused('AuthFailure', `Credential should be scoped to correct service: 'ec2'`);
      const { Action: action = '', ...params } = formParams(request.body);
      return { service: 'ec2', account, region, action, params };
    },
    mutates: (call) => !isRead(call.action),
    charges: chargesOf,
    answer: (call, requestId, answerFaults) => {
      try {
        const region = regionOf(call.account, call.region);
        const now = clock.now();
        const action = ACTIONS.get(call.action);
        if (!action) throw refused('InvalidAction', `The action ${call.action} is not valid for this web service.`);
        if (call.params['Version'] !== VERSION)
          throw refused(
            'InvalidParameterValue',
            `Value (${call.params['Version']}) for parameter Version is invalid. The sandbox speaks ${VERSION}.`,
          );
        const input = decode(call.params, action.fields);
        if ('DryRun' in input && input['DryRun'] === true)
          throw refused('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');
        const said = action.run({ region, now, answerFaults }, input);
        const inner = answerFaults.spelling ? respellXml(said, answerFaults.spelling) : said;
        const body = `<?xml version="1.0" encoding="UTF-8"?>\n<${action.name}Response xmlns="http://ec2.amazonaws.com/doc/${VERSION}/">${el('requestId', requestId)}${inner}</${action.name}Response>`;
        return { response: { status: 200, headers: headers(requestId), body } };
      } catch (error) {
        if (error instanceof Refused) return refusal(error.refusal, requestId);
        throw error;
      }
    },
    refuse: (reason, requestId, call) => refusal(explained(reason, call), requestId),
  };
}

function explained(reason: Refusal | 'throttled' | 'denied', call: Call | undefined): Refusal {
  switch (reason) {
    case 'throttled':
      return { code: 'RequestLimitExceeded', status: 503, message: 'Request limit exceeded.' };
    case 'denied':
      return {
        code: 'UnauthorizedOperation',
        status: 403,
        message: `You are not authorized to perform this operation. User is not authorized to perform: ec2:${call?.action ?? ''}`,
      };
    default:
      return reason;
  }
}

function refusal({ code, status, message }: Refusal, requestId: string): Answer {
  const error = wrap('Errors', wrap('Error', el('Code', code) + el('Message', message)));
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${error}${el('RequestID', requestId)}</Response>`;
  return { response: { status, headers: headers(requestId), body }, errorCode: code };
}

function headers(requestId: string): Record<string, string> {
  return {
    'content-type': 'text/xml;charset=UTF-8',
    'x-amzn-requestid': requestId,
    'cache-control': 'no-cache, no-store',
    server: 'AmazonEC2',
  };
}
