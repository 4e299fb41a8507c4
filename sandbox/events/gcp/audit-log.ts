import type { Clock } from '../../clock.ts';
import { BASE } from '../../compute/place.ts';
import type { Operation } from '../../compute/records.ts';
import { type Request, understand } from '../../compute/request.ts';
import type { World } from '../../compute/world.ts';
import { hexDigits, type Random } from '../../random.ts';
import type { Source, Written } from '../written.ts';
import { beginning, end, type Told } from './log-entry.ts';
import { pushMessage } from './push-message.ts';

export interface AuditLogParts {
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
  return { ...understand(written.request), written, operation };
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
