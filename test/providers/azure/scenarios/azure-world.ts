import { azure } from '../../../../providers/azure/index.ts';
import type { Sandbox } from '../../../../sandbox/index.ts';
import type { Finding } from '../../../../src/core/action.ts';
import { compile } from '../../../../src/core/compile/compile.ts';
import type { Knowledge } from '../../../../src/core/knowledge.ts';
import type { Observed } from '../../../../src/core/observed.ts';
import { plan } from '../../../../src/core/plan/plan.ts';
import { ofKind } from '../../../../src/core/spec/spec-set.ts';
import { type Converged, type Convergence, converge } from '../../../../src/engine/converge.ts';
import { inProcessLimiter } from '../../../../src/engine/limiter.ts';
import type { Accepted } from '../../../../src/ports/store.ts';
import { parseSpecs } from '../../../../src/source/parse-specs.ts';
import {
  type AzureStage,
  account,
  location,
  openAzureStage,
  resourceGroup,
  scope,
} from '../../../support/azure-session.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';

/** One subscription of the sandbox, one store, and the whole engine between documents and both. */
export interface AzureWorld {
  readonly sandbox: Sandbox;
  readonly stage: AzureStage;
  /** Accepts the documents as the next revision, and converges. */
  apply(documents: readonly object[], how?: How): Promise<Applied>;
  /** The API's own answer, as a colleague asks for it; a write is over when this returns. */
  ask(method: string, path: string, body?: object): Promise<Thing>;
  knowledge(): Promise<Knowledge>;
  /** The database is lost; a new one takes over whatever the last look saw with the old one's mark. */
  takeover(last: Applied): Promise<void>;
}

export interface How {
  readonly prune?: readonly string[];
  /** Default: one target `here`, in rg-app. */
  readonly targets?: readonly object[];
  /** Ends the pass, as a crash or a lost lease does. */
  readonly signal?: AbortSignal;
  readonly job?: Partial<Convergence>;
}

export interface Applied extends Converged {
  /** Mutating requests: `firewalls.insert 200`. */
  readonly writes: readonly string[];
  /** What is left in the last plan: `update instance/web-0`, `blocked name-taken network/core`. */
  readonly left: readonly string[];
}

/** What Azure answers of anything. */
export interface Thing {
  readonly status: number;
  readonly id: string;
  readonly name: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

export const here = {
  metadata: { name: 'here' },
  spec: { provider: 'azure', account, region: location, resourceGroup },
};

const login = {
  user: 'ops',
  sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'],
};

export async function azureWorld(): Promise<AzureWorld & AsyncDisposable> {
  const stage = await openAzureStage();
  const { sandbox, clock } = stage;
  let store = memoryDatabase(clock).connect();
  let revision = 0;
  const apply = async (documents: readonly object[], how: How = {}): Promise<Applied> => {
    const { wanted, guards } = compiled(documents, how, sandbox.url);
    const { number } = await store.generations.accept('acme', `r${++revision}`, guards);
    const acquired = await store.leases.acquire('acme', scope, `me-${revision}`);
    if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
    const { lease } = acquired;
    const authority = { revision: `r${number}`, generation: number, plan: '', approver: 'test' };
    const held = { holder: lease.holder, epoch: lease.epoch };
    const choices = { prune: new Set((how.prune ?? []).map((name) => `${scope}/${name}`)) };
    sandbox.control.log.clear();
    const access = { scope, account, region: location, endpoint: sandbox.url };
    const session = await azure.open(access, clock);
    const job: Convergence = {
      site: {
        session,
        account,
        batches: azure.batches,
        holds: azure.dialect.holds,
        secret: async () => ({ access: login }),
      },
      warrant: { lease, pass: { estate: 'acme', scope, reconcileId: `pass-${revision}`, authority, lease: held } },
      plan: (observation, knowledge) =>
        plan({ wanted, observation, knowledge, dialect: azure.dialect, choices, batches: azure.batches }),
      ...how.job,
    };
    const ports = { ...store, limiter: inProcessLimiter({ clock }), clock, random: () => 0.5 };
    const signal = how.signal ?? new AbortController().signal;
    const converged = await converge(job, ports, { signal });
    await lease.release();
    sandbox.control.clock.advance(600_000);
    return { ...converged, writes: writesOf(sandbox), left: leftOf(converged) };
  };
  return {
    sandbox,
    stage,
    apply,
    ask: (method, path, body) => ask(sandbox, method, path, body),
    takeover: async ({ last }) => {
      store = memoryDatabase(clock, '11111111-1111-4111-8111-111111111111').connect();
      const { number } = await store.generations.accept('acme', `r${++revision}`, { ...noGuards });
      const acquired = await store.leases.acquire('acme', scope, 'takeover');
      if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
      const { holder, epoch } = acquired.lease;
      const authority = { revision: `r${revision}`, generation: number, plan: '', approver: 'test' };
      const pass = { estate: 'acme', scope, reconcileId: 'takeover', authority, lease: { holder, epoch } };
      await store.estates.takeover(pass, (last?.observation.resources ?? []).flatMap(acceptedOf), 'lost');
      await acquired.lease.release();
    },
    knowledge: () => store.inventory.knowledge('acme', scope),
    [Symbol.asyncDispose]: () => stage.close(),
  };
}

const noGuards = { limits: { deletes: 50, replaces: 50, share: 1 }, modes: {}, policies: {}, protected: [] };

const acceptedOf = ({ kind, id, signs: { mark } }: Observed): readonly Accepted[] =>
  mark === undefined
    ? []
    : [
        {
          do: 'claim',
          subject: { kind, address: mark.address, id },
          terms: { deletionPolicy: 'retain', protect: false, storeOnly: false, takenFrom: mark.store },
        },
      ];

const writesOf = ({ control }: Sandbox): readonly string[] =>
  control.log
    .entries({ mutating: true })
    .map(({ action, status }) => `${action.replace(/^.*\/(?=[^/]*$)/, '')} ${status}`);

function leftOf({ last }: Converged): readonly string[] {
  if (!last) return ['nothing was seen'];
  const short = (address: string): string => address.replace(/^azure\/[^/]+\/[^/]+\/[^/]+\//, '');
  const { actions, findings } = last.plan;
  return [
    ...actions.map(({ verb, address }) => `${verb} ${short(address)}`),
    ...findings.map(
      (finding) => `${finding.type}${'code' in finding ? ` ${finding.code}` : ''} ${short(aboutOf(finding))}`,
    ),
  ];
}

function aboutOf(finding: Finding): string {
  if ('address' in finding) return finding.address;
  return 'id' in finding ? finding.id : finding.why;
}

function compiled(documents: readonly object[], { targets = [here] }: How, endpoint: string) {
  const all = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits: { deletes: 50, replaces: 50 } } },
    ...targets.map((target) => {
      // why: every target of these tests has a spec
      const { spec, ...rest } = target as { readonly spec: object };
      return { kind: 'Target', ...rest, spec: { ...spec, endpoint } };
    }),
    ...documents,
  ];
  const text = all.map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document })).join('\n---\n');
  const specs = parseSpecs([{ path: 'specs/all.yaml', text }], '2026-01-01');
  const [estate] = ofKind(specs.documents, 'Estate');
  const errors = specs.problems.filter(({ severity }) => severity === 'error');
  if (!estate || errors.length > 0) throw new Error(JSON.stringify(errors));
  const { scopes, guards } = compile({
    estate: estate.value,
    documents: specs.documents,
    dialects: { azure: azure.dialect },
    hashes: { userData: () => 'hash', access: () => 'hash' },
    today: '2026-01-01',
  });
  const [first] = scopes;
  if (!first) throw new Error('the documents name no target');
  return { wanted: first.wanted, guards };
}

async function ask({ url, control }: Sandbox, method: string, path: string, body?: object): Promise<Thing> {
  const full = path.startsWith('/')
    ? path
    : `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/Microsoft.${path}`;
  const version = full.includes('Microsoft.Compute') ? '2025-04-01' : '2026-01-01';
  const answer = await fetch(`${url}${full}?api-version=${version}`, {
    method,
    headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (method !== 'GET') control.clock.advance(600_000);
  const text = await answer.text();
  return { ...(text === '' ? {} : JSON.parse(text)), status: answer.status };
}
