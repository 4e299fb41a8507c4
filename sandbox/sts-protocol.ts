import type { Clock } from './clock.ts';
import { type Accounts, type Caller, signedFor } from './ec2/accounts.ts';
import { refused } from './ec2/errors.ts';
import { formParams } from './ec2/query.ts';
import { el, time, wrap } from './ec2/xml.ts';
import { type Answer, type Call, type Protocol, type Refusal, Refused } from './protocol.ts';

const VERSION = '2011-06-15';

const NAMESPACE = `https://sts.amazonaws.com/doc/${VERSION}/`;

interface StsCall extends Call {
  readonly caller: Caller;
}

interface StsParts {
  readonly clock: Clock;
  readonly accounts: Accounts;
}

/** GetCallerIdentity and AssumeRole: https://docs.aws.amazon.com/STS/latest/APIReference/ */
export function stsProtocol({ clock, accounts }: StsParts): Protocol<StsCall> {
  return {
    accepts: (request) =>
      request.method === 'POST' && request.path.split('?')[0] === '/' && signedFor(request) === 'sts',
    read: (request) => {
      const caller = identified(accounts, request);
      const { Action: action = '', ...params } = formParams(request.body);
      return { service: 'sts', account: caller.account, region: caller.region, action, params, caller };
    },
    mutates: () => false,
    charges: () => [],
    answer: (call, requestId) => {
      try {
        return answered(call.action, resultOf(call, accounts, clock), requestId);
      } catch (error) {
        if (error instanceof Refused) return refusal(error.refusal, requestId);
        throw error;
      }
    },
    refuse: (reason, requestId, call) => refusal(explained(reason, call), requestId),
  };
}

/** STS has its own code for credentials nobody knows. */
function identified(accounts: Accounts, request: Parameters<Accounts['caller']>[0]): Caller {
  try {
    return accounts.caller(request);
  } catch (error) {
    if (error instanceof Refused && error.refusal.code === 'AuthFailure') {
      throw new Refused(
        {
          code: 'InvalidClientTokenId',
          status: 403,
          message: 'The security token included in the request is invalid.',
        },
        { cause: error },
      );
    }
    throw error;
  }
}

function resultOf(call: StsCall, accounts: Accounts, clock: Clock): string {
  switch (call.action) {
    case 'GetCallerIdentity':
      return identityXml(call);
    case 'AssumeRole':
      return assumedXml(call, accounts, clock);
    default:
      throw refused('InvalidAction', `Could not find operation ${call.action} for version ${VERSION}`);
  }
}

/** The call's account may have been put in by a fault, so it comes before the caller's own. */
function identityXml({ account, caller }: StsCall): string {
  return el('Arn', caller.arn.replace(caller.account, account)) + el('UserId', caller.userId) + el('Account', account);
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const DURATION = { default: 3600, shortest: 900, longest: 43_200 };

function assumedXml({ params }: StsCall, accounts: Accounts, clock: Clock): string {
  const { RoleArn: role = '', RoleSessionName: name = '', DurationSeconds } = params;
  if (!role) throw validation(`Value null at 'roleArn' failed to satisfy constraint: Member must not be null`);
  if (!/^[\w+=,.@-]{2,64}$/.test(name))
    throw validation(
      `Value '${name}' at 'roleSessionName' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]*`,
    );
  const seconds = Number(DurationSeconds ?? DURATION.default);
  if (!(seconds >= DURATION.shortest && seconds <= DURATION.longest))
    throw validation(`Value '${DurationSeconds}' at 'durationSeconds' failed to satisfy constraint`);
  const assumed = accounts.assume(role, name);
  if (!assumed)
    throw new Refused({
      code: 'AccessDenied',
      status: 403,
      message: `User is not authorized to perform: sts:AssumeRole on resource: ${role}`,
    });
  const { session, identity } = assumed;
  const credentials =
    el('AccessKeyId', session.accessKeyId) +
    el('SecretAccessKey', session.secretAccessKey) +
    el('SessionToken', session.sessionToken) +
    // Clients compare this with their own clock, so it is real time whatever the sandbox's clock says.
    el('Expiration', time(Math.max(Date.now(), clock.now()) + seconds * 1000));
  return (
    wrap('Credentials', credentials) +
    wrap('AssumedRoleUser', el('Arn', identity.arn) + el('AssumedRoleId', identity.userId))
  );
}

function validation(message: string): Refused {
  return new Refused({ code: 'ValidationError', status: 400, message: `1 validation error detected: ${message}` });
}

function explained(reason: Refusal | 'throttled' | 'denied', call: StsCall | undefined): Refusal {
  switch (reason) {
    case 'throttled':
      return { code: 'Throttling', status: 400, message: 'Rate exceeded' };
    case 'denied':
      return {
        code: 'AccessDenied',
        status: 403,
        message: `User is not authorized to perform: sts:${call?.action ?? ''}`,
      };
    default:
      return reason;
  }
}

function answered(action: string, result: string, requestId: string): Answer {
  const body = `<${action}Response xmlns="${NAMESPACE}">${wrap(`${action}Result`, result)}${wrap('ResponseMetadata', el('RequestId', requestId))}</${action}Response>`;
  return { response: { status: 200, headers: headers(requestId), body } };
}

function refusal({ code, status, message }: Refusal, requestId: string): Answer {
  const type = el('Type', status < 500 ? 'Sender' : 'Receiver');
  const body = `<ErrorResponse xmlns="${NAMESPACE}">${wrap('Error', type + el('Code', code) + el('Message', message))}${el('RequestId', requestId)}</ErrorResponse>`;
  return { response: { status, headers: headers(requestId), body }, errorCode: code };
}

function headers(requestId: string): Record<string, string> {
  return { 'content-type': 'text/xml', 'x-amzn-requestid': requestId };
}
