import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { apiLimits } from '../limits.ts';
import type { Problem } from '../problem.ts';
import { forbidden } from './problems.ts';
import { Refusal } from './refusal.ts';
import type { Caller, Route } from './route.ts';

/**
 * Settles, before any of it is read, whether a caller may send a large body: where the route takes none of theirs, and while
 * another of theirs is being read or answered, it is refused. A body of unstated length counts as large.
 */
export type LargeBodies = (
  route: Route,
  caller: Caller,
  request: { readonly headers: IncomingHttpHeaders },
  reply: { readonly raw: Pick<EventEmitter, 'once'> },
) => void;

export function largeBodies(): LargeBodies {
  const sending = new Set<string>();
  return ({ needs, sendsMuch, asks }, caller, { headers }, { raw }) => {
    if ((asks.bodyBytes ?? 0) <= apiLimits.bodyBytes || !isLarge(headers)) return;
    if (needs !== undefined && sendsMuch?.(caller) === false) throw new Refusal(forbidden(needs));
    if (sending.has(caller.id)) throw new Refusal(oneAtATime);
    sending.add(caller.id);
    raw.once('close', () => sending.delete(caller.id));
  };
}

function isLarge(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length) > apiLimits.bodyBytes;
  return headers['transfer-encoding'] !== undefined;
}

const oneAtATime: Problem = {
  status: 429,
  title: 'Too Many Requests',
  detail: `Another body of yours of more than ${apiLimits.bodyBytes / 1024} KiB is being read: send this one after it is answered.`,
  headers: { 'retry-after': '1' },
};
