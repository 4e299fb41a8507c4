import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, program } from '../../bench/process/command-line.ts';
import { type Ended, runToEnd } from '../../bench/process/measured.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { type Servers, startServers } from './servers.ts';
import { type Hiring, hire, type Workers } from './workers.ts';

/** Workers, what they share, and the cloud they work on. */
export interface Fleet {
  readonly sandbox: Sandbox;
  readonly servers: Servers;
  readonly workers: Workers;
  /** The specs from now on. */
  want(text: string): Promise<void>;
  /** Where the specs are. */
  readonly dir: string;
  /** `setpoint` with these arguments, on the store of the fleet. */
  run(args: readonly string[]): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>>;
  /** What `setpoint ledger verify` says against the ledger; nothing where it is whole. */
  verify(): Promise<readonly string[]>;
}

/** `specs`: the first ones, by the endpoint of the cloud. `more`: of each worker's command line. `diskMb`: see `startServers`; `aheadMs`: see `Hiring`. */
export interface FleetOptions {
  readonly count: number;
  readonly specs: (endpoint: string) => string;
  readonly more?: readonly string[];
  readonly diskMb?: number;
  readonly aheadMs?: Hiring['aheadMs'];
}

export async function withFleet<T>(
  { count, specs, more = [], diskMb, aheadMs }: FleetOptions,
  work: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const cwd = await mkdtemp(join(tmpdir(), 'setpoint-fleet-'));
  const [sandbox, servers] = await Promise.all([startSandbox(), startServers(diskMb === undefined ? {} : { diskMb })]);
  const dir = join(cwd, 'specs');
  const want = async (text: string): Promise<void> => {
    await writeFile(join(cwd, 'next'), text);
    await rename(join(cwd, 'next'), join(dir, 'estate.yaml')); // why: a reader sees one or the other, never half
  };
  await mkdir(dir);
  await want(specs(sandbox.url));
  const env = { ...environment('test'), ...servers.env };
  const workers = hire({ count, dir, cwd, env, more, ...(aheadMs === undefined ? {} : { aheadMs }) });
  const run: Fleet['run'] = (args) => runToEnd({ program: process.execPath, args: [program, ...args], cwd, env });
  const verify = async (): Promise<readonly string[]> => {
    const ended = await run(['ledger', 'verify']);
    return ended.code === 0 ? [] : [`the ledger: ${ended.stdout}${ended.stderr}`];
  };
  try {
    return await work({ sandbox, servers, workers, want, dir, run, verify });
  } catch (error) {
    console.error(workers.said());
    throw error;
  } finally {
    await workers.stop();
    await servers.close();
    await sandbox.close();
    await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}
