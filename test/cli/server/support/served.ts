import { after } from 'node:test';
import { loadProvider } from '../../../../providers/index.ts';
import { answersOn } from '../../../../src/answers/answers-on.ts';
import type { Role } from '../../../../src/core/access/role.ts';
import { keptSpecs } from '../../../../src/estate/kept-specs.ts';
import { openEstate } from '../../../../src/estate/opened-estate.ts';
import { apiRoutes } from '../../../../src/http/api/api-routes.ts';
import type { Caller } from '../../../../src/http/api/route.ts';
import { driftRoutes } from '../../../../src/http/api/routes/drift.ts';
import { explanationsRoutes } from '../../../../src/http/api/routes/explanations.ts';
import { openApp } from '../../../../src/http/open-app.ts';
import { parseKept } from '../../../../src/source/kept-tree.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import type { MemoryDatabase } from '../../../support/memory-store.ts';
import { realClock } from '../../support/in-process.ts';

/** The real API over a store, on a free port of this machine. */
export interface Served {
  readonly url: string;
  /** The environment of a command line that asks it as somebody with this role. */
  as(role: Role): Readonly<Record<string, string>>;
}

const today = (): string => new Date().toISOString().slice(0, 10);

export async function served(database: MemoryDatabase): Promise<Served> {
  const store = database.connect();
  const answers = answersOn({
    store,
    open: async (name, generation) => {
      const tree = await keptSpecs(name, generation, store, (kept, revision) => parseKept(kept, revision, today()));
      if (tree === undefined) throw new Error('its specs were not kept');
      return openEstate(tree, loadProvider, today());
    },
  });
  const estates = () => store.estates.list();
  const log = createLog({ write: () => undefined }, { form: 'json', level: 'error' });
  const app = openApp(log);
  apiRoutes(app, {
    routes: [
      ...driftRoutes({ drift: answers.drift, estates }),
      ...explanationsRoutes({ explain: answers.explain, estates }),
    ],
    authenticate: async (authorization = '') => callerOf(authorization.replace('Bearer ', '')),
    replies: store.replies,
    clock: realClock,
    log,
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  after(() => app.close());
  return { url, as: (role) => ({ SETPOINT_SERVER: url, SETPOINT_TOKEN: role }) };
}

const callerOf = (role: string): Caller | undefined =>
  isRole(role)
    ? {
        id: role,
        person: `${role} of acme`,
        identities: [`${role}@acme.example`],
        grants: [{ role, estates: ['acme'] }],
      }
    : undefined;

const isRole = (text: string): text is Role => ['viewer', 'planner', 'approver', 'operator', 'admin'].includes(text);
