import { loadProvider } from '../../providers/index.ts';
import { startSandbox } from '../../sandbox/index.ts';
import { parseBlock } from '../../src/core/cidr.ts';
import { type Effect, type End, effectOf, noEffect } from '../../src/core/effect/effect.ts';
import type { ReachEnd } from '../../src/core/effect/reach.ts';
import { oneService } from '../../src/core/effect/service-set.ts';
import { observedState, type TrafficState } from '../../src/core/effect/state.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { PlanInput } from '../../src/core/plan/plan-input.ts';
import type { PlannedObservation } from '../../src/engine/converge.ts';
import { type Asked, words } from '../../test/conformance/reachability/cloud-words.ts';
import { reachIn } from '../../test/core/effect/estate.ts';
import { compiled } from '../../test/support/engine-world/compiled.ts';
import { type EngineWorld, engineWorld } from '../../test/support/engine-world/engine-world.ts';
import type { Random } from '../world/random.ts';

/** Packets asked of the sandbox of a cloud; those that `reach` cannot tell; changes; and all that Setpoint tells otherwise. */
export interface SandboxCheck {
  readonly packets: number;
  readonly unknown: number;
  readonly changed: number;
  readonly differences: readonly string[];
}

/** Milliseconds of the cloud's time in one of ours. */
const rate = 5000;

/** Applies random rules, one set after another. The packet check of the sandbox knows the cloud's documents and nothing of ours. */
export async function checkAgainstSandbox(cloud: Asked, sets: number, random: Random): Promise<SandboxCheck> {
  const differences: string[] = [];
  const check = { packets: 0, unknown: 0, changed: 0, differences };
  const provider = await loadProvider(cloud);
  await using world = await worldOf(cloud);
  let planned: Planned | undefined;
  for (let set = 0; set < sets; set += 1) {
    const documents = randomDocuments(cloud, random);
    const effect = planned === undefined ? noEffect : effectOfNext(planned, documents, { cloud, world });
    const { outcome, last, rounds } = await world.apply(documents, { share: '100%' });
    if (outcome !== 'done' || last === undefined)
      throw new Error(`${cloud} ended ${outcome}: ${JSON.stringify([rounds.at(-1)?.failed, last?.plan.findings])}`);
    const input: PlanInput = { ...last, dialect: provider.dialect, wanted: wantedBy(documents, { cloud, world }) };
    const next = answersIn(cloud, world, observedState(input));
    const answers = [...next.values()];
    const { changed, wrong } = planned === undefined ? noChanges : changesAgainst(effect, planned.answers, next);
    check.packets += answers.length;
    check.unknown += answers.filter(({ said }) => said === 'unknown').length;
    check.changed += changed;
    const told = [...answers.flatMap(wrongReach), ...wrong];
    check.differences.push(...told.map((text) => `${cloud} ${text} ${JSON.stringify(documents)}`));
    planned = { last, answers: next, dialect: provider.dialect };
  }
  return check;
}

const noChanges: ReturnType<typeof changesAgainst> = { changed: 0, wrong: [] };

const wrongReach = ({ text, isAllowed, said }: Answer): readonly string[] =>
  said === 'unknown' || (said === 'yes') === isAllowed ? [] : [`${text}: reach says ${said}`];

interface Planned {
  readonly last: PlannedObservation;
  readonly answers: Answers;
  readonly dialect: PlanInput['dialect'];
}

async function worldOf(cloud: Asked): Promise<EngineWorld> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  const sandbox = await startSandbox({ clock: { rate } });
  const { clock } = sandbox.control;
  const here = { metadata: { name: 'here' }, spec: { provider: cloud, ...words[cloud].target } };
  return engineWorld(
    { provider: await loadProvider(cloud), here, quietMs: 0 },
    {
      sandbox,
      clock: {
        now: () => clock.now(),
        sleep: async (ms, signal) => {
          signal?.throwIfAborted();
          await clock.sleep(ms);
        },
      },
      close: () => sandbox.close(),
    },
  );
}

interface Where {
  readonly cloud: Asked;
  readonly world: EngineWorld;
}

const limits = { deletes: 50, replaces: 50, creates: 1000, closures: 1000 };

function wantedBy(
  documents: readonly object[],
  { cloud, world }: Where,
  dialect?: PlanInput['dialect'],
): PlanInput['wanted'] {
  const spec = { provider: cloud, ...words[cloud].target, endpoint: world.sandbox.url };
  const head = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits } },
    { kind: 'Target', metadata: { name: 'here' }, spec },
  ];
  return compiled([...head, ...documents], dialect ?? dialects[cloud]).scope.wanted;
}

function effectOfNext({ last, dialect }: Planned, documents: readonly object[], where: Where): Effect {
  const input: PlanInput = { ...last, dialect, wanted: wantedBy(documents, where) };
  return effectOf(plan(input), input);
}

const dialects = Object.fromEntries(
  await Promise.all(
    (['aws', 'gcp', 'azure'] as const).map(async (cloud) => [cloud, (await loadProvider(cloud)).dialect]),
  ),
) as Readonly<Record<Asked, PlanInput['dialect']>>; // why: one of each cloud, made above

const ports = [['22'], ['80', '443'], ['20-90'], ['5432']] as const;
const cidrs = ['0.0.0.0/0', '10.20.0.0/16', '10.20.1.0/24', '10.20.2.0/24', '198.51.100.0/24', '198.51.100.7/32'];

function randomDocuments(cloud: Asked, random: Random): readonly object[] {
  const ingress = random.pick(['deny', 'deny', 'allow'], 'deny');
  const egress = random.pick(['allow', 'allow', 'deny'], 'allow');
  const network = {
    kind: 'Network',
    metadata: { name: 'core' },
    spec: {
      ...{ targets: ['here'], cidr: '10.20.0.0/16', internet: true, default: { ingress, egress } },
      subnets: [
        { name: 'near', cidr: '10.20.1.0/24' },
        { name: 'far', cidr: '10.20.2.0/24' },
      ],
    },
  };
  const machine = (name: string, more: object): object => ({
    kind: 'Instance',
    metadata: { name },
    spec: { targets: ['here'], network: 'core', subnet: 'near', ...words[cloud].machine, ...more },
  });
  return [
    network,
    ...Array.from({ length: 2 + random.whole(5) }, (_, at) => randomRule(cloud, at, random)),
    machine('web', { groups: ['web'], publicIp: true }),
    machine('db', { groups: ['db'] }),
    machine('lone', {}),
    machine('far', { groups: ['web'], subnet: 'far' }),
  ];
}

function randomRule(cloud: Asked, at: number, random: Random): object {
  const direction = random.whole(3) === 0 ? 'egress' : 'ingress';
  const group = random.pick(['web', 'db'], 'web');
  const byGroup = random.whole(3) === 0 && !(direction === 'egress' && cloud === 'gcp');
  const peers = byGroup ? { groups: [group === 'web' ? 'db' : 'web'] } : { cidrs: [random.pick(cidrs, '0.0.0.0/0')] };
  const everybody = cloud === 'aws' ? {} : { appliesTo: { network: true } };
  const side = random.whole(3) > 0 ? { group } : everybody;
  const rank =
    cloud === 'aws' ? {} : { action: random.pick(['allow', 'allow', 'deny'], 'allow'), priority: 200 + 10 * at };
  const spec = {
    ...{
      network: 'core',
      direction,
      protocol: random.pick(['tcp', 'tcp', 'udp'], 'tcp'),
      ports: random.pick(ports, ['22']),
    },
    ...{ ...side, ...rank, peers },
  };
  return { kind: 'FirewallRule', metadata: { name: `rule-${at}` }, spec };
}

interface Answer {
  readonly text: string;
  readonly isAllowed: boolean;
  readonly said: 'yes' | 'no' | 'unknown';
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}

type Answers = ReadonlyMap<string, Answer>;

const outside = ['203.0.113.10', '198.51.100.7', '198.51.100.8'];
const asked: readonly (readonly [protocol: string, port: number])[] = [
  ['tcp', 22],
  ['tcp', 80],
  ['tcp', 443],
  ['tcp', 5432],
  ['udp', 22],
  ['udp', 443],
];

function answersIn(cloud: Asked, { sandbox }: EngineWorld, state: TrafficState): Answers {
  const machines = [...state.machines.values()];
  const pairs = [
    ...machines.flatMap((from) => machines.filter((to) => to !== from).map((to) => [from.ref, to.ref] as const)),
    ...machines.flatMap(({ ref }) => outside.flatMap((address) => [[ref, address] as const, [address, ref] as const])),
  ];
  const { account, region } = words[cloud].target;
  const { ec2, compute, arm } = sandbox.control;
  const check = {
    aws: (question: Question) => ec2.packet({ account, region }, question),
    gcp: (question: Question) => compute.packet(account, question),
    azure: (question: Question) => arm.packet(account, question),
  }[cloud];
  const idOf = (end: string): string => {
    const machine = state.machines.get(end);
    return machine === undefined ? end : words[cloud].end(machine.id);
  };
  const endOf = (end: string): ReachEnd => {
    const machine = state.machines.get(end);
    if (machine !== undefined) return { kind: 'machines', machines: [machine] };
    const block = parseBlock(end);
    if (block === undefined) throw new Error(`${end} is no address`);
    return { kind: 'block', block, isInternet: false };
  };
  return new Map(
    pairs.flatMap(([from, to]) =>
      asked.map(([protocol, port]) => {
        const services = oneService(protocol, [{ from: port, to: port }]);
        const { answer } = reachIn(state, { from: endOf(from), to: endOf(to), services });
        const isAllowed = check({ from: idOf(from), to: idOf(to), protocol, port }).allowed;
        const text = `${from} > ${to} ${protocol} ${port}`;
        return [text, { text, isAllowed, said: answer, from, to, protocol, port }] as const;
      }),
    ),
  );
}

interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}

/** Compares the effect that a plan told with the packets before and after its apply. */
function changesAgainst(
  effect: Effect,
  before: Answers,
  after: Answers,
): { readonly changed: number; readonly wrong: readonly string[] } {
  const compared = [...after.values()].flatMap((is) => {
    const was = before.get(is.text);
    return was === undefined ? [] : [{ was, is }];
  });
  return {
    changed: compared.filter(({ was, is }) => was.isAllowed !== is.isAllowed).length,
    wrong: compared.flatMap(({ was, is }) => wrongTold(effect, was, is)),
  };
}

/** From outside the rules alone open: only machines with a way to it are reached. */
function wrongTold({ opens, cuts, unknown }: Effect, was: Answer, is: Answer): readonly string[] {
  const [opened, cut] = [!was.isAllowed && is.isAllowed, was.isAllowed && !is.isAllowed];
  const isTold = (all: Effect['opens']): boolean =>
    all.some((one) => isAt(one.from, is.from) && isAt(one.to, is.to) && isOf(one, is));
  const isInside = !outside.includes(is.from) && !outside.includes(is.to);
  const [isOpening, isCutting] = [isTold(opens), isTold(cuts)];
  const missed = (opened && !isOpening) || (cut && !isCutting);
  return [
    ...(missed && !isTold(unknown) ? [`${is.text}: ${opened ? 'opened' : 'cut'}, and not told`] : []),
    ...(isInside && isOpening && !opened ? [`${is.text}: told as opened, and it is not`] : []),
    ...(isInside && isCutting && !cut ? [`${is.text}: told as cut, and it is not`] : []),
  ];
}

function isAt(end: End, subject: string): boolean {
  if (end.kind === 'instances') return end.instances.includes(subject);
  const [block, address] = [parseBlock(end.cidr), parseBlock(subject)];
  if (block === undefined || address === undefined || block.family !== address.family) return false;
  return address.base >> BigInt(32 - block.prefix) === block.base >> BigInt(32 - block.prefix);
}

function isOf({ services }: Effect['opens'][number], { protocol, port }: Answer): boolean {
  const own = services.find((one) => one.protocol === protocol);
  if (own === undefined) return services.some((one) => one.protocol === 'all');
  return own.ports === undefined || own.ports.some(({ from, to }) => from <= port && port <= to);
}
