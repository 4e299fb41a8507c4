import type { Answer, Refusal } from '../protocol.ts';
import { metricOf } from './budget-table.ts';
import type { Json } from './records.ts';
import type { Request } from './request.ts';

/** Form of all errors: https://docs.cloud.google.com/compute/docs/troubleshooting/troubleshooting-api-errors */
export function refusalOf({ code, status, message }: Refusal): Answer {
  return answer({ code, status, message }, 'global', {});
}

export function unauthenticated({ message }: Refusal): Answer {
  const explained =
    'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
  const body = {
    error: {
      code: 401,
      message: explained,
      errors: [{ message, domain: 'global', reason: 'required', location: 'Authorization', locationType: 'header' }],
      status: 'UNAUTHENTICATED',
      details: [errorInfo('CREDENTIALS_MISSING', {})],
    },
  };
  return {
    response: { status: 401, headers: { ...HEADERS, 'www-authenticate': 'Bearer' }, body: JSON.stringify(body) },
    errorCode: 'required',
  };
}

interface About {
  readonly account: string;
  readonly action: string;
  readonly request: Request;
}

/** 403, not 429: https://docs.cloud.google.com/compute/api-quota */
export function throttled(call: About | undefined): Answer {
  const { metric, name, location, perMinute } = metricOf({
    scope: call?.request.scope ?? 'global',
    quota: call?.request.method.quota ?? 'read',
  });
  const limit = location === 'global' ? 'per minute' : 'per minute per region';
  const message = `Quota exceeded for quota metric '${name}' and limit '${name} ${limit}' of service 'compute.googleapis.com' for consumer 'project:${call?.account ?? ''}'.`;
  const details = [
    errorInfo('RATE_LIMIT_EXCEEDED', {
      consumer: `projects/${call?.account ?? ''}`,
      quota_limit_value: String(perMinute),
      quota_location: location,
      quota_metric: `compute.googleapis.com/${metric}`,
    }),
  ];
  return answer({ code: 'rateLimitExceeded', status: 403, message }, 'usageLimits', {
    status: 'PERMISSION_DENIED',
    details,
  });
}

export function denied(call: About | undefined): Answer {
  const message = `Required '${call?.action ?? ''}' permission for 'projects/${call?.account ?? ''}'`;
  return answer({ code: 'forbidden', status: 403, message }, 'global', {});
}

const HEADERS = { 'content-type': 'application/json; charset=UTF-8' };

function answer({ code, status, message }: Refusal, domain: string, more: Json): Answer {
  const error = { code: status, message, errors: [{ message, domain, reason: code }], ...more };
  return { response: { status, headers: HEADERS, body: JSON.stringify({ error }) }, errorCode: code };
}

function errorInfo(reason: string, metadata: Readonly<Record<string, string>>): Json {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'compute.googleapis.com', ...metadata },
  };
}
