import assert from 'node:assert/strict';
import { gcp } from '../../providers/gcp/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import type { Recorder } from '../../scripts/demo/recorder.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Session } from '../../src/ports/provider.ts';

/** The sandbox's own. */
export const project = 'acme-prod';
export const region = 'europe-west1';
export const zone = 'europe-west1-b';
export const scope = `gcp/${project}`;

/** A session over the real SDK. No credentials are looked for: the endpoint is the sandbox's. */
export function openGcpSession(url: string, clock: Clock): Promise<Session> {
  return gcp.open({ scope, account: project, region, endpoint: url }, clock);
}

/** A colleague's own request to the project, as the console sends it. */
export async function askAsColleague<T>(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: T }> {
  const answer = await fetch(`${url}/compute/v1/projects/${project}/${path}`, {
    method,
    headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  // why: the sandbox gives the answer that its path promises
  return { status: answer.status, body: (await answer.json()) as T };
}

/** The same, to its end. Returns the answer of a request that must succeed. */
export async function byHand<T>(
  { sandbox }: Pick<GcpStage, 'sandbox'>,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const answer = await askAsColleague<T>(sandbox.url, method, path, body);
  assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  if (method !== 'GET') sandbox.control.clock.advance(60_000);
  return answer.body;
}

/** A Compute Engine sandbox whose time stops until somebody waits. */
export interface GcpStage {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** A new reconcile over the same project. */
  open(): Promise<Session>;
  /** Does the work while the cloud's time passes: it answers a `wait` only when an operation has ended. */
  run<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The cloud's time that elapses in about a millisecond of ours, while somebody waits for it. */
const stepMs = 500;

/** `record`: a recorder of requests and answers. */
export async function openGcpStage(options: SandboxOptions = {}, record?: Recorder): Promise<GcpStage> {
  const more = record === undefined ? {} : { port: record.port, publicUrl: record.url };
  const sandbox = await startSandbox({ clock: { rate: 0, start: Date.now() }, budgets: false, ...more, ...options });
  const { clock: time } = sandbox.control;
  const clock: Clock = {
    now: () => time.now(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      time.advance(ms);
    },
  };
  const sessions: Session[] = [];
  return {
    sandbox,
    clock,
    open: async () => {
      const session = await openGcpSession(record?.url ?? sandbox.url, clock);
      sessions.push(session);
      return session;
    },
    run: async (work) => {
      const timer = setInterval(() => time.advance(stepMs), 1);
      try {
        return await work();
      } finally {
        clearInterval(timer);
      }
    },
    close: async () => {
      for (const session of sessions) await session.close();
      await sandbox.close();
      await record?.cut();
    },
  };
}
