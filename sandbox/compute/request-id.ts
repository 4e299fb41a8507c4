import { refused } from './errors.ts';
import type { Asked, Context, Write } from './method.ts';
import type { Operation } from './records.ts';

/** "A valid UUID with the exception that zero UUID is not supported", says the discovery document of every write. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const ZERO = '00000000-0000-0000-0000-000000000000';

/**
 * How long a request id is remembered. Compute Engine does not say; other Google services with the same field
 * guarantee "at least 60 minutes after the first request":
 * https://cloud.google.com/python/docs/reference/batch/0.17.14/google.cloud.batch_v1.types.DeleteJobRequest
 */
const KEPT_MS = 3_600_000;

/**
 * Runs a write once per `requestId`: the same request again answers the operation of the first. That the id is refused for
 * another request is an assumption, after https://google.aip.dev/155. A request that was refused leaves no trace.
 */
export function once(context: Context, method: Write, asked: Asked): Operation {
  const { project, now } = context;
  const { requestId } = asked.query;
  if (requestId === undefined) return method.run(context, asked);
  if (!UUID.test(requestId) || requestId === ZERO)
    throw refused('invalid', `Invalid value for field 'requestId': '${requestId}'. Must be a valid, non-zero UUID.`);
  const text = canonical([method.id, asked.at, { ...asked.query, requestId: '' }, asked.body]);
  const earlier = project.requests.get(requestId);
  if (earlier && now - earlier.at < KEPT_MS) {
    if (earlier.asked !== text)
      throw refused(
        'invalid',
        `Invalid value for field 'requestId': '${requestId}'. It was used for a different request.`,
      );
    const operation = project.operations.get(earlier.operation);
    if (operation) return operation;
  }
  const begun = method.run(context, asked);
  const operation = project.operations.put({ ...begun, asked: { ...begun.asked, requestId } });
  project.requests.set(requestId, { asked: text, operation: operation.id, at: now });
  return operation;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
