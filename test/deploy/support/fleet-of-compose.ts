import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../../support/redis.ts';
import { mountOf, readCompose, serviceOf } from './compose-file.ts';
import { type Container, environmentOf, startContainer } from './containers.ts';
import { type Loopback, loopback } from './loopback.ts';
import { startPostgres } from './postgres.ts';

const estate = join(import.meta.dirname, '../../support/aws-estate');
const workerNames = ['worker-1', 'worker-2'] as const;

/** What docker-compose.yml describes, running as processes, over a small estate on AWS that is enforced. */
export interface RunningFleet {
  readonly redis: RedisServer;
  readonly sandbox: Container;
  readonly workers: readonly Container[];
  /** Of a profile: once there is a token. */
  startApi(): Promise<Container>;
  readonly loopback: Loopback;
  /** A worker's environment and its folder, for commands run beside it as with `docker compose exec`. */
  readonly beside: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly specs: string };
  /** Ends what is left of it. */
  down(): Promise<void>;
}

/** In the order of `depends_on`: each once those that it needs are healthy. */
export async function up(): Promise<RunningFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-compose-'));
  const file = readCompose({ SETPOINT_SPECS: join(folder, 'specs') });
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  const down = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const worker = serviceOf(file, workerNames[0]);
    const postgres = await startPostgres(serviceOf(file, 'postgres'));
    ends.push(postgres.stop);
    const moved = await loopback({
      names: Object.keys(file.services),
      ports: { 5432: postgres.port, 6379: 0, 4566: 0, 7420: 0, 9464: 0, 9465: 0 },
      specs: mountOf(worker, '/specs'),
    });
    await enforcedEstate(mountOf(worker, '/specs'), moved);

    const [, ...args] = serviceOf(file, 'redis').command ?? [];
    const redis = await startRedis({ port: moved.port(6379), args: [...args, '--dir', folder] });
    ends.push(redis.stop);

    const start = async (name: string): Promise<Container> => {
      const started = startContainer(serviceOf(file, name), { loopback: moved, folder });
      ends.push(() => started.stop(1000));
      await started.untilHealthy(120_000);
      return started;
    };
    const sandbox = await start('sandbox');
    const workers = await Promise.all(workerNames.map(start));
    const beside = { env: environmentOf(worker, moved), cwd: folder, specs: moved.rewrite('/specs') };
    return { redis, sandbox, workers, startApi: () => start('api'), loopback: moved, beside, down };
  } catch (error) {
    await down();
    throw error;
  }
}

/** The example is in mode plan, for people; nobody is here to approve. */
async function enforcedEstate(folder: string, { rewrite }: Loopback): Promise<void> {
  await cp(estate, folder, { recursive: true });
  const file = join(folder, 'estate.yaml');
  await writeFile(file, rewrite((await readFile(file, 'utf8')).replace('mode: plan ', 'mode: enforce ')));
}
