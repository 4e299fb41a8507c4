import type { Touch } from '../../src/core/last-modified.ts';
import type { CloudId } from '../../src/core/resource.ts';
import { type Fields, fieldsOf, given, textOf, timeOf } from '../shared/event-fields.ts';
import { numberOf } from './cloud-id.ts';

/**
 * A LogEntry of the audit logs of Compute Engine, as a Pub/Sub message holds it:
 * https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry
 * https://cloud.google.com/logging/docs/reference/audit/auditlog/rest/Shared.Types/AuditLog
 *
 * A call that takes its time has two: as it begins nothing is done yet, so only the one at its end counts.
 * https://cloud.google.com/logging/docs/audit/understanding-audit-logs#interpreting_long-running_operation
 */
export function touches(event: unknown): readonly Touch[] {
  const entry = fieldsOf(event);
  const payload = fieldsOf(entry['protoPayload']);
  if (payload['serviceName'] !== 'compute.googleapis.com' || hasFailed(payload) || onlyBegins(entry)) return [];
  if (!/\/cloudaudit\.googleapis\.com(%2F|\/)activity$/i.test(textOf(entry['logName']) ?? '')) return [];
  const resource = fieldsOf(entry['resource']);
  const labels = fieldsOf(resource['labels']);
  const project = textOf(labels['project_id']) ?? '';
  const action = textOf(payload['methodName']);
  const name = textOf(entry['insertId']);
  const at = timeOf(entry['timestamp']);
  if (!projectId.test(project) || action === undefined || name === undefined || at === undefined) return [];
  const objects = objectsOf(project, payload, { type: textOf(resource['type']), labels });
  if (objects === undefined) return [];
  const requestId = textOf(fieldsOf(entry['operation'])['id']);
  return [
    { scope: `gcp/${project}`, event: name, at, actor: actorOf(payload, action), objects, ...given({ requestId }) },
  ];
}

/** https://cloud.google.com/resource-manager/docs/creating-managing-projects; those of a domain begin `example.com:`. */
const projectId = /^[a-z0-9.-]+(?::[a-z0-9-]+)?$/;

/** `status` stands in what failed, and sometimes, empty, in what went well. */
const hasFailed = ({ status }: Fields): boolean =>
  Object.keys(fieldsOf(status)).length > 0 && fieldsOf(status)['code'] !== 0;

function onlyBegins({ operation }: Fields): boolean {
  const { first, last } = fieldsOf(operation);
  return first === true && last !== true;
}

/** By type, the label that has the number: https://cloud.google.com/monitoring/api/resources */
const numbers: ReadonlyMap<string, string> = new Map(
  Object.entries({
    gce_network: 'network_id',
    gce_subnetwork: 'subnetwork_id',
    gce_firewall_rule: 'firewall_rule_id',
    gce_route: 'route_id',
    gce_instance: 'instance_id',
    gce_disk: 'disk_id',
  }),
);

interface AuditResource {
  readonly type: string | undefined;
  readonly labels: Fields;
}

/** Undefined: no kind of ours, nor a part of one. An object without its number is not named: another may have had its name. */
function objectsOf(
  project: string,
  payload: Fields,
  { type = '', labels }: AuditResource,
): readonly CloudId[] | undefined {
  const label = numbers.get(type);
  if (label === undefined) return undefined;
  const path = /^projects\/[^/]+\/(.+)$/.exec(textOf(payload['resourceName']) ?? '')?.[1];
  const number = numberOf(textOf(labels[label])) ?? numberOf(textOf(fieldsOf(payload['response'])['targetId']));
  return path === undefined || number === undefined ? [] : [`projects/${project}/${path}#${number}`];
}

function actorOf(payload: Fields, action: string): Touch['actor'] {
  const { principalEmail, principalSubject } = fieldsOf(payload['authenticationInfo']);
  const { callerIp, callerSuppliedUserAgent } = fieldsOf(payload['requestMetadata']);
  const who = textOf(principalEmail) ?? textOf(principalSubject) ?? 'unknown';
  return { who, action, ...given({ from: textOf(callerIp), agent: textOf(callerSuppliedUserAgent) }) };
}
