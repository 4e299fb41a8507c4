import { createPublicKey } from 'node:crypto';
import { answersOf } from '../../src/bootstrap/http-server.ts';
import type { Access, Binding } from '../../src/core/access/access-document.ts';
import type { Grant } from '../../src/core/access/grant.ts';
import { approvalsRoutes } from '../../src/http/api/routes/approvals.ts';
import { plansRoutes } from '../../src/http/api/routes/plans.ts';
import { tokensRoutes } from '../../src/http/api/routes/tokens.ts';
import { serveRoutes } from '../../src/http/api/serve-routes.ts';
import { authenticator } from '../../src/http/auth/authenticator.ts';
import { openApp } from '../../src/http/server.ts';
import { machineIn, network, rule } from '../../test/support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../../test/support/fleet-world.ts';
import { goodHead, issuer, jwt, keys } from '../hostile-tokens/world.ts';

/** A worker over the memory cloud, and the API with its own checks of tokens, in virtual time. */
export interface BypassWorld extends FleetWorld {
  /** `credential`: of a token or an issuer's token; see `token` and `login`. */
  ask(credential: string, what: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** A token that the store's administrator makes. */
  token(person: string | undefined, grant?: Partial<Grant>): Promise<string>;
  /** A token of the issuer with these claims. */
  login(claims: object): string;
  /** The next generation, of these authors. */
  bring(documents: readonly object[], authors?: readonly string[], estate?: object): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const any: readonly Binding[] = ['bob', 'cid', 'ann', 'mute'].map((name) => ({
  who: { subject: name },
  role: 'approver',
}));

const access: Access = { apiVersion: 'setpoint.dev/v1', kind: 'Access', oidc: [issuer], bindings: any };

const documents: Readonly<Record<string, unknown>> = {
  [`${issuer.issuer}/.well-known/openid-configuration`]: { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/keys` },
  [`${issuer.issuer}/keys`]: {
    keys: [{ ...createPublicKey(keys.main.privateKey).export({ format: 'jwk' }), kid: 'main' }],
  },
};

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => log };

export function bypassWorld(): BypassWorld {
  const world = fleetWorld();
  const { store, clock, context } = world;
  const app = openApp(log);
  const dependencies = { ...answersOf(context), estates: () => store.estates.list() };
  serveRoutes(app, {
    routes: [...approvalsRoutes(dependencies), ...plansRoutes(dependencies), ...tokensRoutes(store.tokens)],
    authenticate: authenticator({
      apiTokens: { tokens: store.tokens, clock },
      issuers: { access, fetchJson: async (url) => documents[url], clock, log },
    }),
    idempotentResponses: store.idempotentResponses,
    clock,
    log,
  });
  return {
    ...world,
    ask: async (credential, what, body, headers = {}) => {
      const [method = '', url = ''] = what.split(' ');
      const answer = await app.inject({
        method: method === 'POST' ? 'POST' : 'GET',
        url,
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: answer.statusCode, text: answer.payload };
    },
    token: async (person, grant = {}) => {
      const maker = { person: 'root', identities: [] };
      const expiresAt = clock.now() + 30 * 86_400_000;
      const grants: readonly Grant[] = [{ role: 'approver', ...grant }];
      const made = await store.tokens.make({
        name: 'people',
        grants,
        expiresAt,
        maker,
        ...(person && { for: person }),
      });
      return made.text;
    },
    login: (claims) => {
      const now = Math.floor(clock.now() / 1_000);
      const usual = { iss: issuer.issuer, aud: issuer.audience, sub: 'bob', iat: now, exp: now + 3_600 };
      return jwt(goodHead, { ...usual, ...claims });
    },
    bring: async (specs, authors = ['ann@acme.example'], estate = {}) => {
      const after = (await store.generations.current('acme'))?.number ?? 0;
      await world.accept(specs, estate);
      const { revision = '' } = (await store.generations.current('acme')) ?? {};
      await store.authors.record({ estate: 'acme', revision, after }, { names: authors, more: false });
    },
  };
}

export const ground: readonly object[] = [network({ internet: false }), rule('https')];
const machine = machineIn({ image: 'img-1', size: 'small', deletionPolicy: 'delete' });

export const web = (tier: string, spec: Readonly<Record<string, unknown>> = {}, metadata: object = {}) =>
  machine('web', spec, { labels: { tier }, ...metadata });

/** A policy that asks so many people for every change of a machine. */
export const asking = (approvers: object = { people: 2 }) => ({
  kind: 'Policy',
  metadata: { name: 'careful' },
  spec: {
    ...{ kinds: ['instance'], mode: 'enforce' },
    rules: [{ name: 'people', requireApproval: "action.verb != 'create'", approvers, message: 'Ask.' }],
  },
});

export const machines = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
export const tierOf = (world: FleetWorld): unknown => machines(world)[0]?.record.tags['tier'];

/** Longer than any grace, and than a cloud may hide what was written. */
export async function settle(world: FleetWorld, hours = 3): Promise<void> {
  for (let n = 0; n < hours * 2; n++) {
    await world.reconcile();
    await world.clock.advance(1_800_000);
  }
}

/** The first generation, applied. */
export async function applied(documents: readonly object[]): Promise<BypassWorld> {
  const world = bypassWorld();
  await world.bring(documents, ['root@acme.example']);
  await world.reconcile();
  await world.clock.advance(1_800_000);
  await world.reconcile();
  if ((await world.store.fleet.rollouts.standing(where)) !== 1) throw new Error('the first generation is not applied');
  return world;
}

/** Approves all that this credential is offered; with more fields in the body. */
export async function approve(
  world: BypassWorld,
  credential: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const offer = await world.ask(credential, 'GET /v1/approvals');
  const digest = offer.status === 200 ? String(JSON.parse(offer.text).digest) : '0'.repeat(64);
  return world.ask(credential, 'POST /v1/approvals', { digest, reason: 'mine', ...more }, headers);
}
