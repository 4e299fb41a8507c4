import assert from 'node:assert/strict';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Converged } from '../../../src/engine/converge.ts';
import { access, machineIn, network, rule } from '../../support/engine-world/documents.ts';
import { type Converging, convergingOn } from '../converging.ts';
import type { Packet } from '../harness.ts';
import type { Law } from '../law.ts';
import type { Stage } from '../stage.ts';
import { just } from '../subject.ts';

/** Rules, and machines by the groups that they are in, before a change and after it. */
interface Change {
  readonly name: string;
  readonly default?: { readonly ingress: 'deny'; readonly egress: 'allow' | 'deny' };
  readonly before: State;
  readonly after: State;
  /** `web > db 5432`: the traffic that got through before, and must get through afterwards. */
  readonly moves: Readonly<Record<'stays' | 'goes' | 'comes', readonly string[]>>;
}

interface State {
  readonly rules: readonly object[];
  readonly machines?: Machines;
}

type Machines = Readonly<Record<string, readonly string[]>>;

const members: Machines = { web: ['web'], app: ['app'], both: ['web', 'app'], db: ['db'] };
const inside = { cidrs: ['10.20.0.0/16'] };
const out = (name: string, group: string, port: number): object =>
  rule(name, { direction: 'egress', group, ports: [port], peers: inside });

const changes: readonly Change[] = [
  {
    name: 'a rule moves to another group',
    before: { rules: [rule('https', { group: 'web' }), rule('db', { group: 'db', ports: [22], peers: inside })] },
    after: { rules: [rule('https', { group: 'app' }), rule('db', { group: 'db', ports: [22], peers: inside })] },
    moves: {
      stays: ['internet > both 443', 'db > both 443', 'web > db 22'],
      goes: ['internet > web 443', 'db > web 443'],
      comes: ['internet > app 443', 'db > app 443'],
    },
  },
  {
    name: 'a rule comes to let in another group',
    before: { rules: [rule('sql', { group: 'db', ports: [5432], peers: { groups: ['web'] } })] },
    after: { rules: [rule('sql', { group: 'db', ports: [5432], peers: { groups: ['app'] } })] },
    moves: { stays: ['both > db 5432'], goes: ['web > db 5432'], comes: ['app > db 5432'] },
  },
  {
    name: 'a rule changes its ports',
    before: { rules: [rule('https', { ports: [443, '8000-8100'] })] },
    after: { rules: [rule('https', { ports: [443, '8050-8200'] })] },
    moves: {
      stays: ['internet > web 443', 'internet > web 8050', 'app > both 8100'],
      goes: ['internet > web 8000', 'app > both 8000'],
      comes: ['internet > web 8200', 'app > both 8200'],
    },
  },
  {
    name: 'a rule gives way to one with other ports',
    before: { rules: [rule('old', { ports: [443, '8000-8100'] })] },
    after: { rules: [rule('new', { ports: ['400-500', '8050-8200'] })] },
    moves: {
      stays: ['internet > web 443', 'internet > web 8050', 'app > both 8100'],
      goes: ['internet > web 8000', 'app > both 8000'],
      comes: ['internet > web 8200', 'app > both 8200'],
    },
  },
  {
    name: 'a rule at one end takes turns with one at the other end',
    default: { ingress: 'deny', egress: 'deny' },
    before: {
      rules: [
        rule('in', { group: 'db', ports: [5432], peers: { groups: ['web'] } }),
        rule('old', { group: 'db', ports: [22], peers: { groups: ['web'] } }),
        out('out', 'web', 5432),
        out('old-out', 'web', 80),
      ],
    },
    after: {
      rules: [
        rule('in', { group: 'db', ports: [5432], peers: { groups: ['web'] } }),
        rule('new', { group: 'db', ports: [80], peers: { groups: ['web'] } }),
        out('out', 'web', 5432),
        out('new-out', 'web', 22),
      ],
    },
    moves: { stays: ['web > db 5432'], goes: [], comes: [] },
  },
  {
    name: 'a machine moves to another group with its rule',
    before: { rules: [rule('https', { group: 'web' })], machines: { web: ['web'], lone: ['web'], db: ['db'] } },
    after: {
      rules: [rule('https', { group: 'app' }), rule('db', { group: 'db', ports: [22], peers: { groups: ['web'] } })],
      machines: { web: ['app'], lone: ['web'], db: ['db'] },
    },
    moves: { stays: ['internet > web 443'], goes: ['internet > lone 443'], comes: ['lone > db 22'] },
  },
];

export const trafficLaws: readonly Law[] = changes.map((change) => ({
  name: `${change.name}: at no moment is refused what is wanted before and after, or let through what is at neither time`,
  kinds: just('firewall-rule'),
  hold: (stage) => holds(stage, change),
}));

async function holds(stage: Stage, change: Change): Promise<void> {
  const converging = convergingOn(stage);
  const { packets } = stage.harness;
  const before = documentsOf(change, change.before, stage);
  await done(converging.apply(before));
  const ways = await waysOf(change, converging);
  const now = (): ReadonlySet<string> =>
    new Set([...ways].flatMap(([way, packet]) => (packets.reach(packet) ? [way] : [])));
  const moments = [now()];
  const stop = packets.watch(() => {
    const reached = now();
    if (!isSame(reached, moments.at(-1))) moments.push(reached);
  });
  await done(converging.apply(documentsOf(change, change.after, stage)));
  stop();
  moments.push(now());
  const [first = new Set<string>(), last = new Set<string>()] = [moments[0], moments.at(-1)];
  assert.deepEqual(
    {
      stays: change.moves.stays.filter((way) => first.has(way) && last.has(way)),
      goes: change.moves.goes.filter((way) => first.has(way) && !last.has(way)),
      comes: change.moves.comes.filter((way) => !first.has(way) && last.has(way)),
    },
    change.moves,
    'the change did what its rules say',
  );
  for (const moment of moments) {
    const ofMoment = (which: (way: string) => boolean) => [...ways.keys()].filter(which);
    assert.deepEqual(
      {
        refused: ofMoment((way) => first.has(way) && last.has(way) && !moment.has(way)),
        opened: ofMoment((way) => moment.has(way) && !first.has(way) && !last.has(way)),
      },
      { refused: [], opened: [] },
    );
  }
}

async function done(work: Promise<Converged>): Promise<void> {
  const { outcome, rounds: reconciles, last } = await work;
  assert.equal(outcome, 'done', JSON.stringify([reconciles.at(-1)?.failed, last?.plan.findings]));
}

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string> | undefined): boolean =>
  b !== undefined && a.size === b.size && [...a].every((one) => b.has(one));

/** Every way between machines, and from outside, on every port that is spoken of. */
async function waysOf({ before }: Change, converging: Converging): Promise<ReadonlyMap<string, Packet>> {
  const ids = new Map<string, CloudId>();
  for (const name of Object.keys(before.machines ?? members)) ids.set(name, await converging.machine(name));
  const from: readonly (readonly [string, CloudId])[] = [['internet', 'internet'], ...ids];
  return new Map(
    from.flatMap(([name, id]) =>
      [...ids]
        .filter(([, other]) => other !== id)
        .flatMap(([other, to]) => ports.map((port) => [`${name} > ${other} ${port}`, { from: id, to, port }] as const)),
    ),
  );
}

const ports = [22, 80, 443, 5432, 8000, 8050, 8100, 8200];

function documentsOf({ default: otherwise }: Change, { rules, machines = members }: State, stage: Stage) {
  const { image, sizes, least } = stage.harness.words.machine;
  const machine = machineIn({ image, size: sizes[0], replicas: 1, ...(least === undefined ? {} : { access }) });
  return [
    network({ ...(otherwise === undefined ? {} : { default: otherwise }) }),
    ...rules,
    ...Object.entries(machines).map(([name, groups]) => machine(name, { groups, publicIp: true })),
  ];
}
