import { BASE } from '../../compute/place.ts';
import type { Operation } from '../../compute/records.ts';
import type { Request } from '../../compute/request.ts';
import { bearerClaims } from '../bearer-claims.ts';
import { requesterOf } from '../requester.ts';
import type { Written } from '../written.ts';
import { auditRequest } from './audit-request.ts';
import { locationOf, monitoredResource } from './monitored-resource.ts';
import { statusOf } from './status.ts';

/** A write, what it asked for, and the operation that it was answered with. */
export interface Told extends Request {
  readonly written: Written;
  readonly operation: OperationAnswer;
}

/** What of an operation's message is looked into. */
export interface OperationAnswer {
  readonly name: string;
  readonly selfLink: string;
  readonly targetLink: string;
  readonly targetId: string;
  readonly user: string;
}

/** https://docs.cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry as an operation begins. */
export function beginning(told: Told, insertId: string): object {
  const { written, operation, method } = told;
  const permission = `${method.id.slice(0, method.id.lastIndexOf('.'))}.${permitted(method.id)}`;
  const resourceName = nameOf(operation);
  return {
    ...common(told, insertId, written.time),
    protoPayload: {
      ...payload(told),
      authorizationInfo: [
        {
          permission,
          granted: true,
          resourceAttributes: {
            service: 'compute',
            name: resourceName,
            type: method.id.slice(0, method.id.lastIndexOf('.')),
          },
          permissionType: 'ADMIN_WRITE',
        },
      ],
      request: auditRequest(method.id, told.asked.body),
      response: { ...operation, '@type': 'type.googleapis.com/operation' },
      resourceLocation: { currentLocations: [locationOf(resourceName)] },
    },
    severity: 'NOTICE',
    operation: { id: operation.name, producer: 'compute.googleapis.com', first: true },
  };
}

/** The same as it ends: less of it, and what went wrong. */
export function end(told: Told, insertId: string, { time, failure }: Operation): object {
  const { operation, method } = told;
  return {
    ...common(told, insertId, time.end),
    protoPayload: {
      ...payload(told),
      request: { '@type': `type.googleapis.com/${method.id}` },
      ...(failure ? { status: statusOf(failure) } : {}),
    },
    severity: failure ? 'ERROR' : 'NOTICE',
    operation: { id: operation.name, producer: 'compute.googleapis.com', last: true },
  };
}

function common({ project, operation }: Told, insertId: string, at: number): object {
  const timestamp = new Date(at).toISOString();
  return {
    insertId,
    logName: `projects/${project}/logs/cloudaudit.googleapis.com%2Factivity`,
    resource: monitoredResource(project, nameOf(operation), operation.targetId),
    timestamp,
    receiveTimestamp: timestamp,
  };
}

/** https://docs.cloud.google.com/logging/docs/reference/audit/auditlog/rest/Shared.Types/AuditLog */
function payload({ written, operation, method }: Told): object {
  const { ip, agent } = requesterOf(written.request);
  const principalEmail = bearerClaims(written.request).get('email') ?? operation.user;
  const kind = principalEmail.endsWith('.gserviceaccount.com') ? 'serviceAccount' : 'user';
  return {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    authenticationInfo: { principalEmail, principalSubject: `${kind}:${principalEmail}` },
    requestMetadata: {
      callerIp: ip,
      callerSuppliedUserAgent: agent,
      requestAttributes: { time: new Date(written.time).toISOString(), auth: {} },
      destinationAttributes: {},
    },
    serviceName: 'compute.googleapis.com',
    methodName: `v1.${method.id}`,
    resourceName: nameOf(operation),
  };
}

/** `projects/acme/global/firewalls/web` */
function nameOf({ targetLink }: OperationAnswer): string {
  return targetLink.slice(BASE.length);
}

/** The permission's last part, where it is not the method's own: https://docs.cloud.google.com/compute/docs/access/iam-permissions */
function permitted(methodId: string): string {
  const verb = methodId.slice(methodId.lastIndexOf('.') + 1);
  if (verb === 'insert') return 'create';
  return verb === 'patch' ? 'update' : verb;
}
