import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { freePort } from '../scripts/demo/free-port.ts';
import { makeRemote, type Remote } from '../scripts/demo/repository.ts';
import { type Figure, p95 } from './figure.ts';
import { hookedSpecs, openPorts, ringHook } from './git.ts';
import { inScratch } from './processes/scratch.ts';
import { type Serving, serve, until } from './processes/setpoint.ts';

export interface CommitOptions {
  readonly times?: number;
  readonly pollingTimes?: number;
}

const secret = 'bench-hook-secret';
const pollMs = 5_000;

/**
 * From a push of one changed rule to a file repository, through `setpoint serve --repo`, to the cloud that holds exactly the
 * new rule. With a webhook: seconds at p95, asked 5. By polling alone: what it takes beyond the interval, asked 5.
 */
export async function commitToConverged({
  times = 30,
  pollingTimes = 10,
}: CommitOptions = {}): Promise<readonly Figure[]> {
  const rung = await measure({ times, poll: '10m', ring: true });
  const polled = await measure({ times: pollingTimes, poll: `${pollMs / 1000}s`, ring: false });
  return [
    { name: 'commit-to-converged', value: p95(rung) / 1000, unit: `s at p95 of ${times}` },
    {
      name: 'commit-to-converged-polled',
      value: (p95(polled) - pollMs) / 1000,
      unit: `s beyond the interval of ${pollMs / 1000} s, at p95 of ${pollingTimes}`,
    },
  ];
}

interface Way {
  readonly times: number;
  readonly poll: string;
  readonly ring: boolean;
}

async function measure({ times, poll, ring }: Way): Promise<readonly number[]> {
  const sandbox = await startSandbox();
  try {
    return await inScratch(async (folder) => {
      const remote = await makeRemote(join(folder, 'checkout'));
      await remote.push({ 'all.yaml': hookedSpecs(sandbox.url, 1000) });
      const port = await freePort();
      const more = ['--repo', remote.url, '--allow-local-repo', '--poll', poll, '--listen', String(port)];
      const serving = serve(folder, more, { SETPOINT_SECRET_HOOK: secret });
      const hook = ring ? `http://127.0.0.1:${port}/v1/hooks/acme/push` : undefined;
      try {
        await until(() => isExactly(sandbox, 1000), serving);
        const took: number[] = [];
        for (let i = 1; i <= times; i += 1) took.push(await once({ remote, sandbox, serving, hook }, 1000 + i));
        return took;
      } finally {
        await serving.end();
      }
    });
  } finally {
    await sandbox.close();
  }
}

interface ServingSetup {
  readonly remote: Remote;
  readonly sandbox: Sandbox;
  readonly serving: Serving;
  readonly hook: string | undefined;
}

async function once({ remote, sandbox, serving, hook }: ServingSetup, port: number): Promise<number> {
  // why: pushes of people come at any moment of what the worker does
  await sleep(Math.random() * 2000);
  await remote.push({ 'all.yaml': hookedSpecs(sandbox.url, port) });
  const from = performance.now();
  if (hook !== undefined) await ringHook(hook, secret);
  await until(() => isExactly(sandbox, port), serving);
  return performance.now() - from;
}

const isExactly = (sandbox: Sandbox, port: number): boolean => openPorts(sandbox).join() === String(port);
