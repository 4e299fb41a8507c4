import { after } from 'node:test';
import { apiOn } from '../../../../src/bootstrap/http-server.ts';
import { externalAccess } from '../../../../src/bootstrap/process-context.ts';
import type { Role } from '../../../../src/core/access/grant.ts';
import type { Caller } from '../../../../src/http/api/route.ts';
import { serveRoutes } from '../../../../src/http/api/serve-routes.ts';
import { openApp } from '../../../../src/http/server.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { MemoryDatabase } from '../../../support/memory-store.ts';
import { type Run, realClock } from '../../support/in-process.ts';

/** The real API over a store, on a free port of this machine. */
export interface Served {
  readonly url: string;
  /** A command line that asks it, as whom; its environment is this process's, but for the token. */
  ask(run: Run, who: string): Run;
}

export async function served(database: MemoryDatabase): Promise<Served> {
  const store = database.connect();
  const clock = realClock;
  const log = createLog({ write: () => undefined }, { form: 'json', level: 'error' });
  const ground = { store, clock, log, outside: externalAccess('test', true, { clock, secrets: noSecrets }) };
  const { routes } = apiOn(ground, { reaches: [], access: undefined });
  const app = openApp(log);
  const authenticate = async (authorization = '') => callerOf(authorization.replace('Bearer ', ''));
  serveRoutes(app, { routes, authenticate, idempotentResponses: store.idempotentResponses, clock, log });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  after(() => app.close());
  return { url, ask: (run, who) => (args, says) => withToken(who, () => run([...args, '--server', url], says)) };
}

async function withToken<T>(token: string, work: () => Promise<T>): Promise<T> {
  const env = { ...process.env };
  Object.assign(process.env, { SETPOINT_TOKEN: token });
  try {
    return await work();
  } finally {
    process.env = env;
  }
}

const callerOf = (who: string): Caller | undefined => (isRole(who) ? ofRole(who) : others[who]);

const ofRole = (role: Role): Caller => ({
  id: role,
  person: `${role} of acme`,
  identities: [`${role}@acme.example`],
  grants: [{ role, estates: ['acme'] }],
});

/** `web`: sees the resources of team-web. `web-operator`: operates them, too. `security`: approves in that role. */
const others: Readonly<Record<string, Caller>> = {
  web: {
    id: 'web',
    person: 'web',
    identities: [],
    grants: [{ role: 'viewer', estates: ['acme'], owners: ['team-web'] }],
  },
  'web-operator': {
    id: 'web-operator',
    person: 'web-operator of acme',
    identities: [],
    grants: [
      { role: 'viewer', estates: ['acme'] },
      { role: 'operator', estates: ['acme'], owners: ['team-web'] },
    ],
  },
  security: {
    id: 'security',
    person: 'security of acme',
    identities: ['security@acme.example'],
    grants: [{ role: 'approver', estates: ['acme'], approvalRoles: ['security'] }],
  },
};

const isRole = (text: string): text is Role => ['viewer', 'planner', 'approver', 'operator', 'admin'].includes(text);

/** The API asks no cloud. */
const noSecrets = { resolve: () => Promise.reject(new Error('the API reads no secret')) };
