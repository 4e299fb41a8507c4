import type { Clock } from '../clock.ts';
import { type Accounts, signedFor } from '../ec2/accounts.ts';
import { type Answer, type Call, jsonAnswer, type Protocol, type Refusal, Refused } from '../protocol.ts';
import type { SecretStore } from './secret-store.ts';

export interface AwsParts {
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly store: SecretStore;
}

const TARGET = /^secretsmanager\.(\w+)$/;

/** GetSecretValue, in JSON 1.1: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html */
export function awsProtocol({ clock, accounts, store }: AwsParts): Protocol {
  return {
    accepts: (request) => request.method === 'POST' && signedFor(request) === 'secretsmanager',
    read: (request) => {
      const { account, region } = known(accounts, request);
      const action = TARGET.exec(request.headers['x-amz-target'] ?? '')?.[1] ?? '';
      return { service: 'secretsmanager', account, region, action, params: { SecretId: secretId(request.body) } };
    },
    mutates: () => false,
    charges: () => [],
    answer: (call, requestId) => {
      try {
        return jsonAnswer({ ...told(requestId), body: newestOf(call, store, clock.now()) });
      } catch (error) {
        if (error instanceof Refused) return refusal(error.refusal, requestId);
        throw error;
      }
    },
    refuse: (reason, requestId, call) => refusal(explained(reason, call), requestId),
  };
}

const told = (requestId: string) => ({
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': requestId },
});

/** Codes of its own for credentials nobody knows: https://docs.aws.amazon.com/secretsmanager/latest/apireference/CommonErrors.html */
function known(accounts: Accounts, request: Parameters<Accounts['caller']>[0]): ReturnType<Accounts['caller']> {
  try {
    return accounts.caller(request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const message = 'The security token included in the request is invalid.';
    throw new Refused({ code: 'UnrecognizedClientException', status: 400, message }, { cause: error });
  }
}

function secretId(body: string): string {
  const given = parsed(body);
  if (typeof given === 'object' && given !== null && 'SecretId' in given) return String(given.SecretId);
  throw failed('InvalidParameterException', 'You must provide a SecretId.');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new Refused({ code: 'SerializationException', status: 400, message: 'The body is no JSON.' }, { cause });
  }
}

function newestOf({ action, account, params }: Call, store: SecretStore, now: number): object {
  if (action !== 'GetSecretValue') throw failed('UnknownOperationException', `There is no operation ${action} here.`);
  const { SecretId: id = '' } = params;
  const versions = store.versions(id);
  if (versions === undefined || id.split(':')[4] !== account)
    throw failed('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  const newest = versions.at(-1);
  if (!newest?.enabled)
    throw failed(
      'InvalidRequestException',
      "You can't perform this operation on the secret because it was marked for deletion.",
    );
  const { value } = newest;
  return {
    ARN: id,
    Name: id
      .split(':')
      .slice(6)
      .join(':')
      .replace(/-\w{6}$/, ''),
    VersionId: newest.id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    VersionStages: ['AWSCURRENT'],
    CreatedDate: now / 1000,
    ...(typeof value === 'string' ? { SecretString: value } : { SecretBinary: Buffer.from(value).toString('base64') }),
  };
}

const failed = (code: string, message: string): Refused => new Refused({ code, status: 400, message });

function explained(reason: Refusal | 'throttled' | 'denied', call: Call | undefined): Refusal {
  if (reason === 'throttled') return { code: 'ThrottlingException', status: 400, message: 'Rate exceeded' };
  if (reason !== 'denied') return reason;
  const message = `User: arn:aws:iam::${call?.account}:user/sandbox is not authorized to perform: secretsmanager:${call?.action} on resource: ${call?.params['SecretId']}`;
  return { code: 'AccessDeniedException', status: 400, message };
}

function refusal({ code, status, message }: Refusal, requestId: string): Answer {
  return jsonAnswer({ status, ...told(requestId), body: { __type: code, Message: message }, errorCode: code });
}
