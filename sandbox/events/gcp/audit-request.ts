type Change = (value: unknown) => readonly [name: string, value: unknown] | undefined;

/**
 * Where the audit log's request differs from what was sent. Lists of messages have plural names, as filters on
 * `protoPayload.request.alloweds` show; that maps become lists of keys and values is an assumption. Metadata is a user's own
 * data (start-up scripts), which is never told: https://docs.cloud.google.com/logging/docs/reference/audit/auditlog/rest/Shared.Types/AuditLog
 */
const CHANGES: Readonly<Record<string, Change>> = {
  allowed: (value) => ['alloweds', value],
  denied: (value) => ['denieds', value],
  labels: (value) => ['labels', Object.entries(Object(value)).map(([key, each]) => ({ key, value: each }))],
  metadata: () => undefined,
};

/** The body of a request, as the audit log has it. */
export function auditRequest(methodId: string, body: unknown): object {
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
  const told = fields.flatMap(([name, value]) => {
    const change = CHANGES[name];
    const changed = change ? change(value) : ([name, value] as const);
    return changed ? [changed] : [];
  });
  const secret = methodId === 'compute.instances.setMetadata';
  return { ...(secret ? {} : Object.fromEntries(told)), '@type': `type.googleapis.com/${methodId}` };
}
