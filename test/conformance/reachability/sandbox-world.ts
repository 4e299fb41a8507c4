import { loadProvider } from '../../../providers/index.ts';
import { startSandbox } from '../../../sandbox/index.ts';
import type { Recorder } from '../../../scripts/demo/recorder.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { ofKind } from '../../../src/core/spec/spec-set.ts';
import { type Converged, converge } from '../../../src/engine/converge.ts';
import { inProcessLimiter } from '../../../src/engine/limiter.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { type Asked, access, words } from './cloud-words.ts';

/** One cloud's sandbox and a store, to which whole documents are applied. */
export interface SandboxWorld {
  apply(documents: readonly object[]): Promise<Converged>;
  /** Asked of the sandbox: `web > db tcp 5432`, with addresses of machines for names. */
  reaches(question: Packet): Promise<Reached>;
  close(): Promise<void>;
}

export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}

export interface Reached {
  readonly allowed: boolean;
  readonly steps: readonly { readonly gate: string; readonly allowed: boolean; readonly reason: string }[];
}

/** Milliseconds of the cloud's time in one of ours: what takes minutes there takes none here. */
const rate = 5000;

export async function sandboxWorld(cloud: Asked, record?: Recorder): Promise<SandboxWorld> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  const provider = await loadProvider(cloud);
  const sandbox = await startSandbox({
    clock: { rate },
    ...(record ? { port: record.port, publicUrl: record.url } : {}),
  });
  const endpoint = record?.url ?? sandbox.url;
  const time = sandbox.control.clock;
  const clock: Clock = {
    now: () => time.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      await time.sleep(ms);
    },
  };
  const store = memoryDatabase(clock).connect();
  const ids = new Map<string, string>();
  return {
    apply: async (documents) => {
      const { scope, guards } = compiled(cloud, documents, endpoint);
      const { number } = await store.generations.accept('acme', `r-${JSON.stringify(documents)}`, guards);
      const acquired = await store.leases.acquire('acme', scope.scope, 'test');
      if (!acquired.ok) throw new Error(`${acquired.heldBy} holds the lease`);
      const { lease } = acquired;
      const { account, region = '' } = words[cloud].target;
      const session = await provider.open({ scope: scope.scope, account, region, endpoint }, clock);
      const authority = { revision: `r${number}`, generation: number, plan: '', approver: 'test' };
      const held = { holder: lease.holder, epoch: lease.epoch };
      try {
        const { batches, dialect } = provider;
        const converged = await converge(
          {
            site: { session, account, batches, holds: dialect.holds, secret: async () => launch },
            warrant: {
              lease,
              pass: { estate: 'acme', scope: scope.scope, reconcileId: 'test', authority, lease: held },
            },
            plan: (observation, knowledge) => plan({ wanted: scope.wanted, observation, knowledge, dialect }),
          },
          { ...store, limiter: inProcessLimiter({ clock }), clock, random: () => 0.5 },
          { signal: new AbortController().signal },
        );
        const { settled } = await store.inventory.knowledge('acme', scope.scope);
        for (const [id, { address, kind }] of settled) if (kind === 'instance') ids.set(nameOf(address), id);
        return converged;
      } finally {
        await session.close();
        await lease.release();
      }
    },
    reaches: async ({ from, to, ...packet }) => {
      const end = (name: string): string => (name === 'internet' ? name : words[cloud].end(ids.get(name) ?? name));
      const body = { cloud, ...words[cloud].where, from: end(from), to: end(to), ...packet };
      const answer = await fetch(`${sandbox.url}/_sandbox/packet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      // why: the sandbox's control answers so, see sandbox/control-http.ts
      return (await answer.json()) as Reached;
    },
    close: () => sandbox.close(),
  };
}

const launch = { access };
const nameOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1).replace(/-\d+$/, '');

function compiled(cloud: Asked, documents: readonly object[], endpoint: string) {
  const { dialect, target } = words[cloud];
  const all = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
    { kind: 'Target', metadata: { name: 'here' }, spec: { provider: cloud, ...target, endpoint } },
    ...documents,
  ];
  const text = all.map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document })).join('\n---\n');
  const specs = parseSpecs([{ path: 'specs/all.yaml', text }], '2026-01-01');
  const [estate] = ofKind(specs.documents, 'Estate');
  const errors = specs.problems.filter(({ severity }) => severity === 'error');
  if (!estate || errors.length > 0) throw new Error(JSON.stringify(errors));
  const hashes = { userData: () => 'hash', access: () => 'hash' };
  const input = { estate: estate.value, documents: specs.documents, dialects: { [cloud]: dialect }, hashes };
  const { scopes, guards } = compile({ ...input, today: '2026-01-01' });
  const [scope] = scopes;
  if (!scope) throw new Error('the documents name no target');
  return { scope, guards };
}
