import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadProvider } from '../../providers/index.ts';
import type { Session } from '../../src/ports/provider.ts';
import { openAwsSession } from '../../test/support/aws-session.ts';
import { openAzureSession } from '../../test/support/azure-session.ts';
import { recordedCall } from '../../test/support/fixtures.ts';
import { openGcpSession } from '../../test/support/gcp-session.ts';
import { startAnswering } from './answering.ts';
import { longestTurn } from './longest-turn.ts';

export const clouds = ['aws', 'gcp', 'azure'] as const;

type Name = (typeof clouds)[number];

const opens: Readonly<Record<Name, Open>> = { aws: openAwsSession, gcp: openGcpSession, azure: openAzureSession };

type Open = typeof openAwsSession;

/** Longest turns of the loop, ms: while the SDK of a cloud is loaded, as a worker does before it takes a job, and at its first use. */
export interface FirstUse {
  readonly loaded: number;
  readonly used: number;
}

const run = promisify(execFile);

/** In a process of its own, as only the first use in a process is asked for. */
export async function firstUseOf(cloud: Name): Promise<FirstUse> {
  const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url), cloud]);
  return JSON.parse(stdout);
}

async function measured(cloud: Name): Promise<FirstUse> {
  const answering = await startAnswering();
  const loaded = await longestTurn(async () => (await loadProvider(cloud)).load?.());
  let session: Session | undefined;
  const used = await longestTurn(async () => {
    session = await opens[cloud](answering.url, { now: () => Date.now(), sleep: async () => {} });
    await session.identify(recordedCall());
    for (const actuator of Object.values(session.actuators)) await listed(actuator);
  });
  await session?.close();
  await answering.close();
  return { loaded, used };
}

async function listed({ list }: Session['actuators'][keyof Session['actuators']]): Promise<void> {
  try {
    for await (const _page of list(recordedCall()));
  } catch {
    // why: only how long it takes is asked
  }
}

if (import.meta.main) {
  const cloud = clouds.find((each) => each === process.argv[2]);
  if (cloud === undefined) throw new Error(`choose one of ${clouds.join(', ')}`);
  console.log(JSON.stringify(await measured(cloud)));
}
