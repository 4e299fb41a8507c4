import { loadProvider } from '../../../providers/index.ts';
import { startSandbox } from '../../../sandbox/index.ts';
import type { Recorder } from '../../../scripts/demo/recorder.ts';
import type { Knowledge } from '../../../src/core/knowledge.ts';
import { type EngineWorld, engineWorld, type WorldStage } from '../../support/engine-world/engine-world.ts';
import { type Asked, words } from './cloud-words.ts';

/** One cloud's sandbox, and the whole engine before it. */
export interface SandboxWorld extends EngineWorld {
  /** Asked of the sandbox: `web > db tcp 5432`, with the names of machines for their addresses. */
  reaches(question: Packet): Promise<Reached>;
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

/** Milliseconds of the cloud's time in one of ours, so that its minutes take no time here. */
const rate = 5000;

export async function sandboxWorld(cloud: Asked, record?: Recorder): Promise<SandboxWorld> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  const { target, where, end } = words[cloud];
  const here = { metadata: { name: 'here' }, spec: { provider: cloud, ...target } };
  const stage = await openStage(record);
  const world = engineWorld({ provider: await loadProvider(cloud), here, quietMs: 0 }, stage);
  return {
    ...world,
    reaches: async ({ from, to, ...packet }) => {
      const known = await world.knowledge();
      const endOf = (name: string): string => (name === 'internet' ? name : end(idOf(name, known)));
      const answer = await fetch(`${stage.sandbox.url}/_sandbox/packet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ cloud, ...where, from: endOf(from), to: endOf(to), ...packet }),
      });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      // why: the sandbox's control answers so, see sandbox/control.ts
      return (await answer.json()) as Reached;
    },
  };
}

async function openStage(record?: Recorder): Promise<WorldStage> {
  const more = record ? { port: record.port, publicUrl: record.url } : {};
  const sandbox = await startSandbox({ clock: { rate }, ...more });
  const { clock } = sandbox.control;
  return {
    sandbox,
    url: record?.url ?? sandbox.url,
    clock: {
      now: () => clock.now(),
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        await clock.sleep(ms);
      },
    },
    close: async () => {
      await sandbox.close();
      await record?.cut();
    },
  };
}

/** Of the first machine of a document. */
function idOf(name: string, { settled }: Knowledge): string {
  for (const [id, { address, kind }] of settled) if (kind === 'instance' && address.endsWith(`/${name}-0`)) return id;
  throw new Error(`no machine of ${name} was settled`);
}
