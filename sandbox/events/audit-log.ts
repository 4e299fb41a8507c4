import type { Clock } from '../clock.ts';
import { BASE } from '../compute/place.ts';
import type { Failure, Operation } from '../compute/records.ts';
import { parseRequest, type Request } from '../compute/request.ts';
import type { World } from '../compute/world.ts';
import { hexDigits, type Random } from '../random.ts';
import type { Source, Written } from './delivery.ts';
import { pushMessage } from './push-subscription.ts';
import { bearerClaims, requesterOf } from './requester.ts';

interface AuditLogParts {
  readonly clock: Clock;
  readonly world: World;
  readonly random: Random;
}

/**
 * Admin Activity logs of Compute Engine, routed to a Pub/Sub topic. "Typically, you see two audit log entries" for an
 * operation that takes its time: https://docs.cloud.google.com/logging/docs/audit/understanding-audit-logs#interpreting_long-running_operation
 */
export function auditLog({ clock, world, random }: AuditLogParts): Source {
  const insertId = (): string => `-${hexDigits(random, 12)}`;
  const messageId = (): string => String(10n ** 15n + (BigInt(`0x${hexDigits(random, 12)}`) % (9n * 10n ** 15n)));
  return async function* (written) {
    const told = toldOf(written);
    yield pushMessage({ entry: beginning(told, insertId()), project: told.project, messageId: messageId() });
    const operation = await ended(clock, world, told);
    if (operation)
      yield pushMessage({ entry: end(told, insertId(), operation), project: told.project, messageId: messageId() });
  };
}

function toldOf(written: Written): Told & Request {
  const operation: Told['operation'] = JSON.parse(written.response.body);
  return { ...parseRequest(written.request), written, operation };
}

/** The operation when it is done, however long that takes; undefined if nobody knows of it. */
async function ended(clock: Clock, world: World, { project, operation }: Told): Promise<Operation | undefined> {
  const id = operation.selfLink.slice(`${BASE}projects/${project}/`.length);
  const known = (): Operation | undefined => world.project(project).operations.get(id);
  for (let now = known(); now; now = known()) {
    if (now.done) return now;
    await clock.sleep(Math.max(1, now.time.end - clock.now()));
  }
  return undefined;
}

/** A write, what it asked for, and the operation that it was answered with. */
interface Told extends Request {
  readonly written: Written;
  readonly operation: OperationAnswer;
}

/** The fields of an operation's JSON that an entry needs. */
interface OperationAnswer {
  readonly name: string;
  readonly selfLink: string;
  readonly targetLink: string;
  readonly targetId: string;
  readonly user: string;
}

/** https://docs.cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry as an operation begins. */
function beginning(told: Told, insertId: string): object {
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
function end(told: Told, insertId: string, { time, failure }: Operation): object {
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

type Change = (value: unknown) => readonly [name: string, value: unknown] | undefined;

/**
 * Differences between the audit log's request and the sent one. Lists of messages have plural names, as filters on
 * `protoPayload.request.alloweds` show. Maps as lists of keys and values are an assumption. Metadata is a user's own
 * data (start-up scripts), which the audit log leaves out: https://docs.cloud.google.com/logging/docs/reference/audit/auditlog/rest/Shared.Types/AuditLog
 */
const CHANGES: Readonly<Record<string, Change>> = {
  allowed: (value) => ['alloweds', value],
  denied: (value) => ['denieds', value],
  labels: (value) => ['labels', Object.entries(Object(value)).map(([key, each]) => ({ key, value: each }))],
  metadata: () => undefined,
};

/** The body of a request, as the audit log has it. */
function auditRequest(methodId: string, body: unknown): object {
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const told = fields.flatMap(([name, value]) => {
    const change = CHANGES[name];
    const changed = change ? change(value) : ([name, value] as const);
    return changed ? [changed] : [];
  });
  const secret = methodId === 'compute.instances.setMetadata';
  return { ...(secret ? {} : Object.fromEntries(told)), '@type': `type.googleapis.com/${methodId}` };
}

interface Row {
  readonly type: string;
  /** The label that has the number of the resource. */
  readonly id: string;
  /** The label that says where it is, and the one that names it, if there are such. */
  readonly place?: 'zone' | 'location';
  readonly name?: string;
}

/** By collection: https://docs.cloud.google.com/monitoring/api/resources */
const RESOURCES: Readonly<Record<string, Row>> = {
  networks: { type: 'gce_network', id: 'network_id', place: 'location' },
  subnetworks: { type: 'gce_subnetwork', id: 'subnetwork_id', place: 'location', name: 'subnetwork_name' },
  firewalls: { type: 'gce_firewall_rule', id: 'firewall_rule_id' },
  routes: { type: 'gce_route', id: 'route_id' },
  instances: { type: 'gce_instance', id: 'instance_id', place: 'zone' },
  disks: { type: 'gce_disk', id: 'disk_id', place: 'zone' },
};

/** The resource of an entry. For a collection that the table lacks, it is only the project. */
function monitoredResource(project: string, resourceName: string, number: string): object {
  const [collection = '', name = ''] = resourceName.split('/').slice(-2);
  const row = RESOURCES[collection];
  if (!row) return { type: 'gce_project', labels: { project_id: project } };
  const labels = {
    project_id: project,
    [row.id]: number,
    ...(row.place === undefined ? {} : { [row.place]: locationOf(resourceName) }),
    ...(row.name === undefined ? {} : { [row.name]: name }),
  };
  return { type: row.type, labels };
}

/** `europe-west1-b` of `projects/acme/zones/europe-west1-b/instances/web`, `global` of what has no place. */
function locationOf(resourceName: string): string {
  return /\/(?:zones|regions)\/([^/]+)\//.exec(resourceName)?.[1] ?? 'global';
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto, by HTTP status; 2 is UNKNOWN. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 403: 7, 404: 5, 409: 6, 412: 9, 429: 8, 503: 14 };

function statusOf({ code, message, status }: Failure): object {
  return { code: CODES[status] ?? 2, message: `${code}: ${message}` };
}
