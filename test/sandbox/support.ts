import { EC2Client } from '@aws-sdk/client-ec2';
import { STSClient } from '@aws-sdk/client-sts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';

const START = Date.UTC(2026, 0, 1);

export interface Bench {
  readonly sandbox: Sandbox;
  readonly ec2: EC2Client;
  readonly sts: STSClient;
  /** Another client, of this access key or region. */
  client(options: { readonly key?: string; readonly region?: string }): EC2Client;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A sandbox whose clock stands still, without budgets, and real SDK clients that never retry. */
export async function bench(options: SandboxOptions = {}): Promise<Bench> {
  const sandbox = await startSandbox({ clock: { rate: 0, start: START }, budgets: false, ...options });
  const settings = (key = 'AKIDEXAMPLE', region = 'eu-west-1') => ({
    endpoint: sandbox.url,
    region,
    credentials: { accessKeyId: key, secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
  const clients = [new EC2Client(settings())];
  const sts = new STSClient(settings());
  return {
    sandbox,
    sts,
    ec2: clients[0] as EC2Client, // why: made the line above
    client: ({ key, region }) => {
      const client = new EC2Client(settings(key, region));
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy();
      sts.destroy();
      await sandbox.close();
    },
  };
}

/** The code and status that a refused call carries. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  }
  return 'accepted';
}
