import assert from 'node:assert/strict';
import { EC2Client } from '@aws-sdk/client-ec2';
import { STSClient } from '@aws-sdk/client-sts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';

export const START = Date.UTC(2026, 0, 1);
export const ACCOUNT = '111122223333';
export const REGION = 'eu-west-1';

export interface Bench {
  readonly sandbox: Sandbox;
  readonly ec2: EC2Client;
  readonly sts: STSClient;
  /** Another client, with another access key, session or region. */
  client(options: Signing): EC2Client;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Signing {
  readonly key?: string;
  readonly region?: string;
  readonly sessionToken?: string;
}

/** A sandbox with a stopped clock, without budgets, and real SDK clients that never retry. */
export async function bench(options: SandboxOptions = {}): Promise<Bench> {
  const sandbox = await startSandbox({ clock: { rate: 0, start: START }, budgets: false, ...options });
  const settings = ({ key = 'AKIDEXAMPLE', region = REGION, sessionToken }: Signing) => ({
    endpoint: sandbox.url,
    region,
    credentials: { accessKeyId: key, secretAccessKey: 'secret', ...(sessionToken ? { sessionToken } : {}) },
    maxAttempts: 1,
  });
  const ec2 = new EC2Client(settings({}));
  const sts = new STSClient(settings({}));
  const others: EC2Client[] = [];
  return {
    sandbox,
    sts,
    ec2,
    client: (signing) => {
      const client = new EC2Client(settings(signing));
      others.push(client);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of [ec2, sts, ...others]) client.destroy();
      await sandbox.close();
    },
  };
}

/** The code that a call is refused with, or `accepted`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  }
}

/** A value that an answer must have. */
export function given<T>(value: T | undefined): T {
  assert.ok(value !== undefined, 'the answer lacks what it must have');
  return value;
}

/** Moves the sandbox's clock forward. */
export function pass({ sandbox }: Bench, ms: number): void {
  sandbox.control.clock.advance(ms);
}
