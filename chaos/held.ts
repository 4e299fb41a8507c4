import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import type { Logged } from '../sandbox/request-log.ts';
import type { Held, PauseSubject } from '../src/core/pause.ts';
import type { Store } from '../src/ports/store.ts';
import { openStore } from '../src/store/open-store.ts';
import { ourClock } from './clock.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { estateOf } from './fleet-specs.ts';
import { violationsFigure } from './violations.ts';

const estate = 'fleet';
const longestMs = 180_000;
/** Promised for the first write of others. */
const promisedMs = 15_000;
/** A request that left before a word is with the cloud by then, on a busy machine too; a retry is not. */
const arrivesMs = 1_500;

/** The parts of a trial. `now`: the specs in force. */
interface Scene {
  readonly fleet: Fleet;
  readonly store: Store;
  now: Steered;
}

/** A word that a person says while workers write, with the requests that it holds from then on. */
interface Word {
  /** Gives workers much to write. Left out: all rules let another port through. */
  load?(scene: Scene): Promise<void>;
  /** Returns once it is acknowledged. */
  say(scene: Scene): Promise<void>;
  /** True for a request to hold; default: every one. */
  holds?(scene: Scene, request: Logged): boolean;
  /** The same of intents, as regular expressions over their verb, scope and address. */
  readonly intents?: (scene: Scene) => Partial<IntentsLike>;
  /** Lets it go on. */
  release(scene: Scene): Promise<void>;
}

interface IntentsLike {
  readonly verb: string;
  readonly scope: string;
  readonly address: string;
}

const words: Readonly<Record<string, Word>> = {
  estate: pauseOf('all', () => ({ by: 'estate' })),
  target: {
    ...pauseOf('all', () => ({ by: 'target', name: steeredRegions[0] })),
    holds: (_, { region }) => region === steeredRegions[0],
    intents: () => ({ scope: `${steeredRegions[0]}$` }),
  },
  owner: {
    ...pauseOf('rollout', () => ({ by: 'owner', name: 'team-odd' })),
    holds: ({ fleet }, request) => (groupOf(fleet, request) ?? 0) % 2 === 1,
    intents: () => ({ address: String.raw`core\.g\d*[13579]\.` }),
  },
  address: {
    ...pauseOf('all', ({ now }) => ({ by: 'address', name: ruleAddress(steeredRegions[1], 11, now.port) })),
    holds: ({ fleet }, request) =>
      request.region === steeredRegions[1] &&
      request.action === 'AuthorizeSecurityGroupIngress' &&
      groupOf(fleet, request) === 11,
    intents: ({ now }) => ({ address: `^${ruleAddress(steeredRegions[1], 11, now.port)}$` }),
  },
  healing: {
    ...pauseOf('healing', () => ({ by: 'estate' })),
    load: async (scene) => {
      await seen(scene);
      closeAll(scene.fleet);
      await askForReconciles(scene);
    },
  },
  withdrawn: {
    load: async (scene) => {
      await become(scene, { mode: 'plan', port: scene.now.port + 1 });
      const { code, stdout, stderr } = await scene.fleet.run([
        'approve',
        scene.fleet.dir,
        '--allow-endpoint',
        '--yes',
        '--reason',
        'seen',
      ]);
      if (code !== 0) throw new Error(`approve: ${stdout}${stderr}`);
    },
    say: async ({ store }) => {
      for (const { seq } of await store.fleet.approvals.given(estate))
        await store.fleet.approvals.withdraw(estate, seq, { person: 'ada', reason: 'the port is wrong' });
    },
    release: (scene) => enforceAgain(scene),
  },
  mode: {
    say: (scene) => become(scene, { mode: 'observe' }),
    release: (scene) => enforceAgain(scene),
  },
  protect: {
    load: async (scene) => {
      await become(scene, { replicas: 8 });
      await convergence(scene);
      throttle(scene.fleet, 1);
      await become(scene, { replicas: 2 });
    },
    say: (scene) => become(scene, { protect: true }),
    holds: (_, { action }) => action === 'TerminateInstances',
    intents: () => ({ verb: 'delete', address: '/instance/web-' }),
    release: async (scene) => {
      await become(scene, { protect: false });
      // why: that it is looser counts from the next generation on
      await become(scene, { port: scene.now.port + 1 });
      await applyWithoutApprovals(scene);
    },
  },
};

/**
 * People steer a fleet that writes under throttling: they pause all, a target, an owner's, an address, all healing; they withdraw
 * approvals, and commit a stricter mode and `protect`. From the acknowledgement on no request that it holds is sent, retries
 * included, but for the calls that it named as on their way; and nothing that it holds is intended. What it does not hold goes
 * on within 15 s. `--only WORD,WORD`; `--times N` rounds.
 */
export async function held(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      times: { type: 'string', default: '2' },
      'watch-ms': { type: 'string', default: '10000' },
    },
  });
  const names = values.only?.split(',') ?? Object.keys(words);
  const first: Steered = { port: 8000, mode: 'enforce', replicas: 2, protect: false };
  return withFleet({ count: 3, specs: (endpoint) => steered(endpoint, first) }, async (fleet) => {
    const scene: Scene = { fleet, store: await storeOf(fleet), now: first };
    const violations: string[] = [];
    let slowestMs = 0;
    try {
      await convergence(scene);
      throttle(fleet);
      for (let time = 0; time < Number(values.times); time += 1)
        for (const name of names) {
          const trial = await steer(name, scene, Number(values['watch-ms']));
          violations.push(...trial.violations.map((violation) => `${name}: ${violation}`));
          slowestMs = Math.max(slowestMs, trial.othersMs);
        }
    } finally {
      await scene.store.close();
    }
    violations.push(...(await fleet.verify()));
    violations.push(...fleet.workers.fallen());
    return [
      violationsFigure('held', violations),
      { name: 'held-first-write', value: Math.round(slowestMs) / 1000, unit: 's' },
    ];
  });
}

/** `othersMs`: from the word, or from its end where it holds all, to the first write of what it does not hold. */
interface Trial {
  readonly violations: readonly string[];
  readonly othersMs: number;
}

async function steer(name: string, scene: Scene, watchMs: number): Promise<Trial> {
  const word = words[name];
  if (word === undefined) throw new Error(`there is no word ${name}; there are ${Object.keys(words).join(', ')}`);
  const { fleet, store } = scene;
  const { log } = fleet.sandbox.control;
  const holds = (request: Logged): boolean => word.holds?.(scene, request) ?? true;
  const writes = (): readonly Logged[] => log.entries({ mutating: true });
  const before = writes().length;
  await (word.load ?? anotherPort)(scene);
  await until(() => writes().slice(before).some(holds), `${name}: nothing was written that it holds`, fleet);
  // why: so that many are between two tries when the word comes
  throttle(fleet, 1);
  await sleep(1000 + Math.random() * 1000);
  await word.say(scene);
  const calls = (await store.ledger.onTheWay(estate)).length;
  const [epoch, said, at] = [await store.ledger.guardEpoch(estate), writes().length, fleet.sandbox.control.clock.now()];
  throttle(fleet);
  await sleep(watchMs);
  const since = writes().slice(said);
  const sent = since.filter(holds);
  const others = since.filter((request) => !holds(request));
  const late = sent.filter(({ time }) => time > at + arrivesMs);
  const intended = await intendedSince(epoch, word.intents?.(scene) ?? {}, fleet);
  console.error(
    `held: ${name}: ${said - before} writes before it, ${calls} calls on their way; ${sent.length} of them, and ${others.length} others, after it`,
  );
  const violations = [
    ...(sent.length > calls
      ? [`${sent.length} requests were sent after it, and ${calls} were named: ${textOf(sent)}`]
      : []),
    ...(late.length > 0
      ? [`${late.length} requests were sent more than ${arrivesMs} ms after it: ${textOf(late)}`]
      : []),
    ...(intended === 0 ? [] : [`${intended} intents were made after it`]),
  ];
  const resumed = fleet.sandbox.control.clock.now();
  await word.release(scene);
  const [other] = others;
  const othersMs = other === undefined ? await firstWrite(scene, resumed) : other.time - at;
  if (othersMs > promisedMs) violations.push(`the first write of others came after ${othersMs} ms`);
  await convergence(scene);
  return { violations, othersMs };
}

const textOf = (requests: readonly Logged[]): string =>
  requests
    .slice(0, 5)
    .map(({ action, region, time }) => `${action} in ${region} at ${time}`)
    .join(', ');

/** The number of intents under this guard epoch or a later one. */
async function intendedSince(
  epoch: number,
  { verb = '', scope = '', address = '' }: Partial<IntentsLike>,
  { servers }: Fleet,
): Promise<number> {
  const row = await servers.ask(
    "SELECT count(*)::int AS count FROM setpoint.intents WHERE estate = $1 AND guard_epoch >= $2 AND verb <> 'forget' AND verb ~ $3 AND scope ~ $4 AND address ~ $5",
    [estate, epoch, verb, scope, address],
  );
  if (row === undefined) throw new Error('the database did not say what was intended');
  return Number(row['count']);
}

function pauseOf(what: Held['what'], ofThis: (scene: Scene) => PauseSubject): Pick<Word, 'say' | 'release'> {
  const said: PauseSubject[] = [];
  return {
    say: async (scene) => {
      const of = ofThis(scene);
      said.push(of);
      const until = Date.now() + 3_600_000;
      await scene.store.fleet.pauses.begin(estate, { what, of, person: 'ada', reason: 'an incident', until });
    },
    release: async (scene) => {
      for (const of of said.splice(0))
        await scene.store.fleet.pauses.end(estate, { what, of }, { person: 'ada', reason: 'it is over' });
      await askForReconciles(scene);
    },
  };
}

async function askForReconciles({ store }: Scene): Promise<void> {
  for (const region of steeredRegions) await store.fleet.requests.ask({ estate, scope: scopeIn(region) }, 'a trial');
}

/** A reconcile has seen all that was made: what none has seen yet may only be hidden, and is not healed for five minutes. */
async function seen(scene: Scene): Promise<void> {
  await askForReconciles(scene);
  const unseen = 'SELECT count(*)::int AS count FROM setpoint.claims WHERE seen_at IS NULL AND ended_at IS NULL';
  for (const end = performance.now() + longestMs; ; await sleep(200)) {
    if ((await scene.fleet.servers.ask(unseen, []))?.['count'] === 0) return;
    if (performance.now() > end) throw new Error('no pass saw what was made');
  }
}

const anotherPort = async (scene: Scene): Promise<void> => {
  const next = { ...scene.now, port: scene.now.port + 1 };
  await scene.fleet.want(steered(scene.fleet.sandbox.url, next));
  scene.now = next;
};

/** The specs say so, and it is the generation in force. */
async function become(scene: Scene, change: Partial<Steered>): Promise<void> {
  const number = async (): Promise<number> => (await scene.store.generations.current(estate))?.number ?? 0;
  const before = await number();
  scene.now = { ...scene.now, ...change };
  await scene.fleet.want(steered(scene.fleet.sandbox.url, scene.now));
  for (const end = performance.now() + longestMs; (await number()) === before; await sleep(10))
    if (performance.now() > end) throw new Error('no worker took the specs on');
}

/** Deletes as a person at the store: over the API, an object that was ever protected needs approvals of two people. */
async function applyWithoutApprovals({ fleet }: Scene): Promise<void> {
  const lifted = ['--without-approvals', '--reason', 'the trial is over', '--lock-timeout', '2m'];
  const { code, stdout, stderr } = await fleet.run(['apply', fleet.dir, '--allow-endpoint', '--yes', ...lifted]);
  if (code !== 0) throw new Error(`apply: ${stdout}${stderr}`);
}

/** Two generations: that a mode is looser counts from the next one on. */
async function enforceAgain(scene: Scene): Promise<void> {
  await become(scene, { mode: 'enforce' });
  await become(scene, { port: scene.now.port + 1 });
}

/** So many writes are throttled, and so tried again. */
function throttle({ sandbox }: Fleet, probability = 0.25): void {
  const action = ['AuthorizeSecurityGroupIngress', 'RevokeSecurityGroupIngress', 'TerminateInstances'];
  sandbox.control.faults.clear();
  sandbox.control.faults.add({ match: { action, probability }, effect: { kind: 'throttle' } });
}

async function firstWrite({ fleet }: Scene, from: number): Promise<number> {
  const first = (): Logged | undefined =>
    fleet.sandbox.control.log.entries({ mutating: true }).find(({ time }) => time >= from);
  await until(() => first() !== undefined, 'nothing was written once it was over', fleet);
  return (first()?.time ?? from) - from;
}

const convergence = ({ fleet, now }: Scene): Promise<void> =>
  until(() => converged(fleet, now).length === steeredRegions.length, `not all hold ${JSON.stringify(now)}`, fleet);

async function until(isSo: () => boolean, otherwise: string, { workers }: Fleet): Promise<void> {
  for (const end = performance.now() + longestMs; !isSo(); await sleep(20)) {
    if (performance.now() > end) throw new Error(`${otherwise} within ${longestMs / 1000} s`);
    if (workers.pids().length === 0) throw new Error('no worker is left');
  }
}

/** The store of the fleet, as whoever says something opens it. */
async function storeOf({ servers }: Fleet): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-held-'));
  const store = await openStore({ folder, databaseUrl: servers.directUrl(), clock: ourClock, create: true });
  const close = async (): Promise<void> => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...store, close };
}

/** An estate that people steer while workers change it: groups with a rule each, and machines, in three scopes. */
interface Steered {
  /** Let through by every rule. */
  readonly port: number;
  readonly mode: 'observe' | 'plan' | 'enforce';
  readonly replicas: number;
  /** Of the machines. */
  readonly protect: boolean;
}

const account = '111122223333';
const steeredRegions = ['eu-west-1', 'eu-central-1', 'us-east-1'] as const;
const scopeIn = (region: string): string => `aws/${account}/${region}`;
const groups = 12;
const peer = '192.0.2.0/24';

/** Of the rule that the group with this number is to have. */
const ruleAddress = (region: string, group: number, port: number): string =>
  `${scopeIn(region)}/firewall-rule/core.g${group}.ingress.tcp.${port}.${peer}`;

/** Rules with an even number are `team-even`'s. */
function steered(endpoint: string, { port, mode, replicas, protect }: Steered): string {
  const targets = steeredRegions.map(
    (region) =>
      `kind: Target\nmetadata: { name: ${region} }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`,
  );
  const rules = Array.from(
    { length: groups },
    (_, n) =>
      `kind: FirewallRule\nmetadata: { name: r${n}, owner: team-${n % 2 === 0 ? 'even' : 'odd'} }\nspec: { network: core, protocol: tcp, ports: [${port}], group: g${n}, peers: { cidrs: [${peer}] } }`,
  );
  const everywhere = `targets: [${steeredRegions.join(', ')}]`;
  return [
    estateOf(mode),
    ...targets,
    `kind: Network\nmetadata: { name: core }\nspec: { ${everywhere}, cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }`,
    ...rules,
    `kind: Instance\nmetadata: { name: web }\nspec: { ${everywhere}, replicas: ${replicas}, protect: ${protect}, network: core, subnet: app, image: ami-0abc0abc0abc0abc0, size: t3.small }`,
  ]
    .map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`)
    .join('---\n');
}

/** Of the group that a request is about; undefined: of none. */
function groupOf({ sandbox }: Fleet, { region, params }: Logged): number | undefined {
  const name = sandbox.control.ec2.region(account, region).groups.get(params['GroupId'] ?? '')?.name ?? '';
  const number = /\bg(\d+)$/.exec(name)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The regions in which exactly this is there. */
const converged = (fleet: Fleet, wanted: Pick<Steered, 'port' | 'replicas'>): readonly string[] =>
  steeredRegions.filter((region) => isConverged(fleet, region, wanted));

function isConverged({ sandbox }: Fleet, region: string, { port, replicas }: Pick<Steered, 'port' | 'replicas'>) {
  const { rules, instances } = sandbox.control.ec2.region(account, region);
  const open = [...rules.values()].filter(({ egress, peer: from }) => !egress && from.kind === 'ipv4');
  const byGroup = Map.groupBy(open, ({ groupId }) => groupId);
  const right = [...byGroup.values()].filter(
    ([one, ...more]) => more.length === 0 && one?.traffic.from === port,
  ).length;
  const up = [...instances.values()].filter(({ power }) => power.state === 'running' || power.state === 'pending');
  return right === groups && up.length === replicas;
}

/** Somebody closes every rule by hand. */
function closeAll({ sandbox }: Fleet): void {
  for (const region of steeredRegions) {
    const { rules } = sandbox.control.ec2.region(account, region);
    for (const { id, egress, peer: from } of [...rules.values()]) if (!egress && from.kind === 'ipv4') rules.remove(id);
  }
}
