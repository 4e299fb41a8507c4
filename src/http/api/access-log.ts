import type { FastifyReply } from 'fastify';
import type { Log } from '../../ports/clock-and-log.ts';
import { sha256 } from '../sha256.ts';
import type { Caller, Route } from './route.ts';

/**
 * One line for each request: by which route, and never what was asked of it. What only reads is told of at level debug, so that
 * a fleet that is watched does not fill its log. `caller`: a hash, the same for the same one.
 */
export function noteAccess(log: Log, { method, path }: Route, reply: FastifyReply, caller: Caller | undefined): void {
  const { statusCode, elapsedTime, request } = reply;
  const level = statusCode < 400 && method === 'GET' ? 'debug' : 'info';
  log[level]('a request was answered', {
    of: `${method} ${path}`,
    code: statusCode,
    durationMs: Math.round(elapsedTime),
    requestId: request.id,
    ...(caller === undefined || caller.id === '' ? {} : { caller: shortHash(caller.id) }),
  });
}

const shortHash = (id: string): string => sha256(id).slice(0, 12);
