import { aws } from '../../providers/aws/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Session } from '../../src/ports/provider.ts';

export const account = '111122223333';
export const region = 'eu-west-1';
export const scope = `aws/${account}/${region}`;

/** A session over the real SDK. The keys are the sandbox's own; they come as the SDK's default chain finds them. */
export function openAwsSession(url: string, clock: Clock): Promise<Session> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  return aws.open({ scope, account, region, endpoint: url }, clock);
}

/** An EC2 sandbox with stopped time: a wait of the session advances it. */
export interface AwsStage {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** A new reconcile over the same account. */
  open(): Promise<Session>;
  close(): Promise<void>;
}

export async function openAwsStage(options: SandboxOptions = {}): Promise<AwsStage> {
  const sandbox = await startSandbox({ clock: { rate: 0, start: Date.now() }, budgets: false, ...options });
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
      const session = await openAwsSession(sandbox.url, clock);
      sessions.push(session);
      return session;
    },
    close: async () => {
      for (const session of sessions) await session.close();
      await sandbox.close();
    },
  };
}
