import { stripVTControlCharacters } from 'node:util';
import type { EstateStatus, ScopeStatus } from '../../src/queries/status.ts';
import type { Colleagues } from './colleagues.ts';
import { sendEventsTo } from './events.ts';
import type { Narrator } from './narrator.ts';
import { type Redis, redisHere } from './redis.ts';
import { tomorrow } from './specs.ts';
import type { Stage } from './stage.ts';
import { type Service, startService, until, withLastLines } from './started-process.ts';

/** The processes of the chapter, in the order of their start. */
interface Processes {
  readonly name: string;
  readonly about: string;
  readonly all: Service[];
  /** With Redis the second works beside the first; without it starts after the first has died. */
  start(): void;
  startSuccessor(): void;
}

/** The process that begins is killed in the middle, and another one brings its work to the end. */
export async function fleet(stage: Stage, narrator: Narrator, colleagues: Colleagues): Promise<void> {
  const redis = await redisHere();
  const processes = redis === undefined ? oneAfterAnother(stage) : sideBySide(redis, stage);
  narrator.chapter(processes.name, processes.about);
  const before = (await readStatus(stage)).generation?.number ?? 0;
  await stage.write(tomorrow(stage.endpoint));
  processes.start();
  try {
    await withLastLines(processes.all, async () => {
      const first = await firstAtWork(processes);
      await first.kill();
      narrator.say(
        `\n  … ${first.name} had made its first changes, and was killed (SIGKILL) in the middle of its work …`,
      );
      const killedAt = performance.now();
      processes.startSuccessor();
      await untilAtRest(stage, before + 1);
      const seconds = ((performance.now() - killedAt) / 1000).toFixed(0);
      const survivor = processes.all.find((service) => service.isAlive());
      if (survivor === undefined) throw new Error('no process is left to take the scopes over');
      narrator.say(`  … ${survivor.name} took its scopes over and had all three clouds converged ${seconds} s later.`);
      await heard(survivor, stage, { colleagues, narrator });
      const code = await survivor.stop();
      if (code !== 0) throw new Error(`${survivor.name} was told to stop and ended with ${code}`);
    });
  } finally {
    for (const service of processes.all) await service.stop();
    await redis?.end();
  }
  await narrator.show(['plan', '--most', '0', '--detailed-exitcode', '--allow-endpoint'], {
    code: 0,
    shows: [/^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted/m],
  });
  await narrator.show(['inventory', '--claim', 'ours', '--kind', 'instance'], { code: 0, shows: [/· 21 ours/] });
}

function sideBySide({ url }: Redis, stage: Stage): Processes {
  const all: Service[] = [];
  return {
    name: 'A fleet',
    about:
      'Two workers follow the git repository; they share one queue, one database and one rate budget. Somebody pushes a commit.',
    all,
    start: () => {
      const env = { DATABASE_URL: stage.databaseUrl, REDIS_URL: url };
      for (const [index, port] of stage.hookPorts.entries())
        all.push(startService(`worker ${index + 1}`, { verb: 'worker', port, env }, stage));
    },
    startSuccessor: () => {},
  };
}

/** The fleet on a first reader's machine: a queue in PostgreSQL, and one process at a time. */
function oneAfterAnother(stage: Stage): Processes {
  const all: Service[] = [];
  const start = (): void => {
    const port = stage.hookPorts[all.length];
    if (port === undefined) throw new Error('there are ports for two processes');
    all.push(startService(`process ${all.length + 1}`, { verb: 'serve', port }, stage));
  };
  return {
    name: 'A service',
    about:
      'This machine has no redis-server, where workers of a fleet meet: one process follows the git repository, and after its death another one. Somebody pushes a commit.',
    all,
    start,
    startSuccessor: start,
  };
}

/** A process that has made a change on a cloud. */
const firstAtWork = ({ all }: Processes): Promise<Service> =>
  until(
    async () => {
      const dead = all.find((service) => !service.isAlive());
      if (dead !== undefined) throw new Error(`${dead.name} ended by itself`);
      return all.find(({ lines }) => lines.some((line) => /info settled/.test(line)));
    },
    'a process at work',
    { pauseMs: 20 },
  );

async function readStatus(stage: Stage): Promise<EstateStatus> {
  const { code, stdout, stderr } = await stage.setpoint(['status', '--json']);
  if (code !== 0) throw new Error(`setpoint status ended with ${code}:\n${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** By what the store says of the generation `least` or a later one. */
const untilAtRest = (stage: Stage, least: number): Promise<true> =>
  until(
    async () => {
      const { generation, scopes, leases } = await readStatus(stage);
      const atWork = new Set(leases.map(({ scope }) => scope));
      const isAtRest = ({ scope, appliedGeneration: applied, reconcileRequest }: ScopeStatus): boolean =>
        applied === generation?.number && applied >= least && reconcileRequest === undefined && !atWork.has(scope);
      return scopes.every(isAtRest) || undefined;
    },
    'a fleet at rest',
    { pauseMs: 1_000 },
  );

interface Audience {
  readonly colleagues: Colleagues;
  readonly narrator: Narrator;
}

/** The ledger names each edit by hand with its author, whom the clouds' audit logs alone know, and the end of its healing. */
const healed = [
  /intent +delete +aws\/.*8081.*changed by \S+:user\/\S+ \(AuthorizeSecurityGroupIngress/,
  /intent +delete +azure\/.*8081.*changed by .*securityRules\/write/,
  /intent +update +gcp\/.*web-https.*changed by .*firewalls\.patch/,
  /settlement +delete +aws\/.*8081\S* +ok/,
  /settlement +delete +azure\/.*8081\S* +ok/,
  /settlement +update +gcp\/.*web-https\S* +ok/,
];

/** Edits by hand are told by the clouds' audit logs, and healed long before anybody would have looked. */
async function heard(listener: Service, stage: Stage, { colleagues, narrator }: Audience): Promise<void> {
  narrator.chapter(
    'Heard',
    'Colleagues open a port by hand on all three clouds. Their audit logs tell Setpoint, which takes it back at once.',
  );
  await sendEventsTo(listener.port, stage.endpoint);
  const from = performance.now();
  await colleagues.aws.open('core-web', 8081);
  await colleagues.gcp.widen('core-web-https', 8081);
  await colleagues.azure.open('core-nsg', 8081);
  const args = ['ledger', '--limit', '12'];
  await until(
    async () => {
      if (!listener.isAlive()) throw new Error(`${listener.name} ended by itself`);
      const { stdout } = await stage.setpoint(args);
      const text = stripVTControlCharacters(stdout);
      return healed.every((pattern) => pattern.test(text)) || undefined;
    },
    'the healing of all three clouds',
    { pauseMs: 1_000 },
  );
  await untilAtRest(stage, 1);
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  narrator.say(`\n  … healed on all three ${seconds} s after the first edit; the ledger knows whose it was:`);
  await narrator.show(args, { code: 0, shows: healed });
}
