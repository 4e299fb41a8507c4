import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Role, roles } from '../../../../src/core/access/grant.ts';
import type { Caller, Route } from '../../../../src/http/api/route.ts';
import { serveRoutes } from '../../../../src/http/api/serve-routes.ts';
import type { CallerLimit } from '../../../../src/http/limits.ts';
import { openApp } from '../../../../src/http/server.ts';
import type { IdempotentResponses } from '../../../../src/ports/store.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { type VirtualClock, virtualClock } from '../../../support/virtual-clock.ts';

import { documentCheck } from './document-check.ts';

/** Routes, asked without a port and in virtual time. Every answer must be as the document declares it, or the test fails. */
export interface ApiWorld {
  readonly clock: VirtualClock;
  /** Every line of the log, as JSON. */
  readonly lines: readonly string[];
  /** `who`: the name of a caller; '' sends no credential. `what`: `GET /v1/inventory?limit=3`. */
  ask(who: string, what: string, sent?: Sent): Promise<Answer>;
  close(): Promise<void>;
}

export interface Sent {
  /** Sent as JSON; a Buffer as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** As its JSON says; undefined where it is none. */
  readonly body: unknown;
}

export interface Setting {
  readonly routes: readonly Route[];
  /** By name, beside one of each role in the estate acme, named after it. */
  readonly callers?: Readonly<Record<string, Caller>>;
  readonly clock?: VirtualClock;
  readonly idempotentResponses?: (responses: IdempotentResponses) => IdempotentResponses;
  readonly callerLimit?: CallerLimit;
}

export function apiWorld(setting: Setting): ApiWorld {
  const { routes, callers = {}, clock = virtualClock(), idempotentResponses = same, callerLimit } = setting;
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, { form: 'json', level: 'debug' });
  const known: Readonly<Record<string, Caller>> = { ...ofEachRole, ...callers };
  const check = documentCheck(routes);
  const app = openApp(log);
  serveRoutes(app, {
    routes,
    authenticate: async (authorization = '') => known[authorization.replace('Bearer ', '')],
    idempotentResponses: idempotentResponses(memoryDatabase(clock).connect().idempotentResponses),
    clock,
    log,
    ...(callerLimit && { callerLimit }),
  });
  return {
    clock,
    lines,
    ask: async (who, what, { body, headers = {} } = {}) => {
      const [method = '', url = ''] = what.split(' ');
      const answer = await app.inject({
        // why: tests also send methods that there are none of
        method: method as 'GET',
        url,
        headers: {
          ...(who === '' ? {} : { authorization: `Bearer ${who}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      const type = String(answer.headers['content-type'] ?? '');
      const text = plain(answer.rawPayload, answer.headers['content-encoding']);
      const undeclared = check(method, url, { status: answer.statusCode, type, text });
      assert.deepEqual(undeclared, [], `the answer to ${what} is not as /openapi.json declares it`);
      const json = /[/+]json/.test(type);
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text,
        body: json && text !== '' ? JSON.parse(text) : undefined,
      };
    },
    close: async () => {
      await app.close();
    },
  };
}

function plain(payload: Buffer, encoding: unknown): string {
  if (encoding === 'br') return brotliDecompressSync(payload).toString();
  return (encoding === 'gzip' ? gunzipSync(payload) : payload).toString();
}

const same = (responses: IdempotentResponses): IdempotentResponses => responses;

/** A caller with a role in one estate. `more`: narrower or elsewhere. */
export const callerOf = (role: Role, more: Partial<Caller> = {}): Caller => ({
  id: role,
  person: `${role} of acme`,
  identities: [`${role}@acme.example`],
  grants: [{ role, estates: ['acme'] }],
  ...more,
});

const ofEachRole = Object.fromEntries(roles.map((role) => [role, callerOf(role)]));
