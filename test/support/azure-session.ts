import { azure } from '../../providers/azure/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import type { Recorder } from '../../scripts/demo/recorder.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Session } from '../../src/ports/provider.ts';

export const account = '0b1f6471-1bf0-4dda-aec3-cb9272f09590';
export const location = 'westeurope';
export const scope = `azure/${account}/${location}`;
export const resourceGroup = 'rg-app';
/** The beginning of every address. */
export const prefix = `${scope}/${resourceGroup}`;

/** A session over the real SDKs. No credential is looked for: a sandbox takes anybody. */
export const openAzureSession = (url: string, clock: Clock): Promise<Session> =>
  azure.open({ scope, account, region: location, endpoint: url }, clock);

/** A subscription in the sandbox with stopped time: a wait of the session advances it. */
export interface AzureStage {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** A new reconcile over the same subscription. */
  open(): Promise<Session>;
  close(): Promise<void>;
}

/** `record`: a recorder of requests and answers. */
export async function openAzureStage({ arm, ...options }: SandboxOptions = {}, record?: Recorder): Promise<AzureStage> {
  const sandbox = await startSandbox({
    clock: { rate: 0, start: Date.now() },
    budgets: false,
    ...(record === undefined ? {} : { port: record.port, publicUrl: record.url }),
    ...options,
    arm: { subscriptions: [account], ...arm },
  });
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
      const session = await openAzureSession(record?.url ?? sandbox.url, clock);
      sessions.push(session);
      return session;
    },
    close: async () => {
      for (const session of sessions) await session.close();
      await sandbox.close();
      await record?.cut();
    },
  };
}
