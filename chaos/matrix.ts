import type { Kind } from '../src/core/resource.ts';
import { type TrialCloud, trialClouds } from './specs.ts';

/** Points in its work at which a process is caught. */
export const failpoints = [
  'before-intent',
  'after-intent',
  'before-sending',
  'before-answer',
  'before-settlement',
  'after-settlement',
  'within-batch',
  'while-polling',
  'while-appending',
] as const;
export type Failpoint = (typeof failpoints)[number];

/** `replace`: the old machine ends before the new one is launched. `surge`: the new one is ready before the old one ends. */
export const verbs = ['create', 'update', 'replace', 'delete', 'surge'] as const;
export type TrialVerb = (typeof verbs)[number];

/**
 * Disturbances at a failpoint. `kill`: SIGKILL · `stop`: SIGSTOP until its lease has run out and another process has converged,
 * then SIGCONT · `cut`: all its connections, to the cloud and to the database, are cut; new ones may be made.
 */
export const manners = ['kill', 'stop', 'cut'] as const;
type Manner = (typeof manners)[number];

export interface Cell {
  readonly cloud: TrialCloud;
  readonly verb: TrialVerb;
  readonly failpoint: Failpoint;
  readonly manner: Manner;
}

/** All 405. */
export const cells: readonly Cell[] = failpoints.flatMap((failpoint) =>
  verbs.flatMap((verb) =>
    trialClouds.flatMap((cloud) => manners.map((manner): Cell => ({ cloud, verb, failpoint, manner }))),
  ),
);

export const nameOf = ({ cloud, verb, failpoint, manner }: Cell): string => `${cloud} ${verb} ${failpoint} ${manner}`;

/** Its index along each side of the matrix. */
export const turnOf = ({ cloud, verb, failpoint, manner }: Cell) => ({
  failpoint: failpoints.indexOf(failpoint),
  verb: verbs.indexOf(verb),
  cloud: trialClouds.indexOf(cloud),
  manner: manners.indexOf(manner),
});

type Spot = Pick<Catch, 'verb' | 'kind'>;

/** The requests of a verb on a cloud at which a process can be caught. The manners, and the failpoints, take turns with the rows. */
interface Meeting {
  readonly any: readonly Spot[];
  /** A batch of several requests. */
  readonly several: readonly (Spot & Pick<Catch, 'answered'>)[];
  readonly polled: readonly (Spot & Pick<Catch, 'polled'>)[];
}

const spots = (verb: Spot['verb'], ...kinds: readonly Kind[]): readonly Spot[] => kinds.map((kind) => ({ verb, kind }));
const within = (spot: Spot['verb'], ...rows: readonly (readonly [Kind, number])[]): Meeting['several'] =>
  rows.map(([kind, answered]) => ({ verb: spot, kind, answered }));
const polling = (polled: Catch['polled'], rows: readonly Spot[]): Meeting['polled'] =>
  rows.map((spot) => ({ ...spot, polled }));

const creation = spots('create', 'instance');
const bothHalves = [...spots('delete', 'instance'), ...creation];
/** A machine's deletion and its creation are one request each: caught between the two. */
const betweenHalves: Meeting['several'] = [{ verb: 'create', kind: 'instance', answered: 0 }];

/** By surge the creation comes first: caught between the two. */
const whileBothStand: Meeting['several'] = [{ verb: 'delete', kind: 'instance', answered: 0 }];

const meetings: Readonly<Record<TrialCloud, Readonly<Record<TrialVerb, Meeting>>>> = {
  aws: {
    create: {
      any: spots('create', 'instance', 'subnet', 'group', 'network', 'firewall-rule'),
      several: within('create', ['network', 1], ['subnet', 1], ['network', 3]),
      polled: polling('look', spots('create', 'network', 'instance', 'firewall-rule')),
    },
    update: {
      any: spots('update', 'network', 'subnet', 'group', 'firewall-rule', 'instance'),
      several: within('update', ['instance', 1], ['instance', 2], ['instance', 3]),
      polled: polling('inside', spots('update', 'instance')),
    },
    replace: {
      any: bothHalves,
      several: betweenHalves,
      polled: polling('state', spots('create', 'instance')),
    },
    delete: {
      any: spots('delete', 'instance', 'firewall-rule', 'group', 'subnet', 'network'),
      several: within('delete', ['network', 1], ['network', 2], ['network', 3]),
      polled: polling('state', spots('delete', 'instance')),
    },
    surge: {
      any: bothHalves,
      several: whileBothStand,
      polled: [...polling('state', bothHalves), ...polling('look', creation)],
    },
  },
  gcp: {
    create: {
      any: spots('create', 'network', 'subnet', 'firewall-rule', 'instance'),
      several: within('create', ['network', 1], ['subnet', 2], ['instance', 1]),
      polled: polling('inside', spots('create', 'network', 'firewall-rule', 'instance')),
    },
    update: {
      any: spots('update', 'firewall-rule', 'instance'),
      several: within('update', ['instance', 1], ['instance', 2], ['instance', 3]),
      polled: polling('inside', spots('update', 'instance', 'firewall-rule')),
    },
    replace: {
      any: bothHalves,
      several: betweenHalves,
      polled: polling('inside', bothHalves),
    },
    delete: {
      any: spots('delete', 'instance', 'firewall-rule', 'subnet', 'network'),
      several: within('delete', ['instance', 1]),
      polled: polling('inside', spots('delete', 'network', 'instance', 'firewall-rule')),
    },
    surge: {
      any: bothHalves,
      several: whileBothStand,
      polled: [...polling('inside', bothHalves), ...polling('state', creation)],
    },
  },
  azure: {
    create: {
      any: spots('create', 'network', 'subnet', 'group', 'firewall-rule', 'instance'),
      several: within('create', ['network', 2], ['instance', 1], ['instance', 2]),
      polled: polling('inside', spots('create', 'network', 'instance', 'firewall-rule')),
    },
    update: {
      any: spots('update', 'network', 'group', 'firewall-rule', 'instance'),
      several: within('update', ['instance', 1], ['instance', 2], ['instance', 3]),
      polled: polling('inside', spots('update', 'instance', 'firewall-rule')),
    },
    replace: {
      any: bothHalves,
      several: within('create', ['instance', 1], ['instance', 2]),
      polled: polling('inside', bothHalves),
    },
    delete: {
      any: spots('delete', 'instance', 'firewall-rule', 'group', 'subnet', 'network'),
      several: within('delete', ['network', 1], ['instance', 1]),
      polled: polling('inside', spots('delete', 'network', 'instance', 'firewall-rule')),
    },
    surge: {
      any: bothHalves,
      several: [...within('create', ['instance', 1], ['instance', 2]), ...whileBothStand],
      polled: [...polling('inside', bothHalves), ...polling('state', creation)],
    },
  },
};

/** Cells without such a moment on a cloud, with the moment caught in its place. They are printed with the figure. */
export const equivalents: readonly { readonly cells: Partial<Cell>; readonly why: string }[] = [
  {
    cells: { cloud: 'aws', verb: 'create', failpoint: 'while-polling' },
    why: 'EC2 creates with no operation to poll: caught as it looks again for what it made',
  },
  {
    cells: { cloud: 'aws', verb: 'update', failpoint: 'while-polling' },
    why: 'EC2 changes with no operation to poll: caught as it waits for a machine to stop',
  },
  {
    cells: { cloud: 'aws', verb: 'replace', failpoint: 'while-polling' },
    why: 'EC2 launches with no operation to poll: caught as it waits for the new machine to be up',
  },
  {
    cells: { cloud: 'aws', verb: 'delete', failpoint: 'while-polling' },
    why: 'EC2 deletes with no operation to poll: caught as it waits for a machine to be gone',
  },
  {
    cells: { cloud: 'aws', verb: 'replace', failpoint: 'within-batch' },
    why: 'a termination and a launch are one request each: caught between the two, when neither machine stands',
  },
  {
    cells: { cloud: 'gcp', verb: 'replace', failpoint: 'within-batch' },
    why: 'a deletion and an insertion are one request each: caught between the two, when neither machine stands',
  },
  {
    cells: { cloud: 'aws', verb: 'surge', failpoint: 'while-polling' },
    why: 'EC2 launches and terminates with no operation to poll: caught as it waits for a machine to be up, or gone',
  },
  {
    cells: { cloud: 'aws', verb: 'surge', failpoint: 'within-batch' },
    why: 'a launch and a termination are one request each: caught between the two, when both machines stand',
  },
  {
    cells: { cloud: 'gcp', verb: 'surge', failpoint: 'within-batch' },
    why: 'an insertion and a deletion are one request each: caught between the two, when both machines stand',
  },
];

export function catchOf(cell: Cell): Catch {
  const meeting = meetings[cell.cloud][cell.verb];
  const turn = turnOf(cell);
  const entry = (turn.manner + turn.cloud + turn.verb) % 2 === 0 ? 'intent' : 'settlement';
  const rest = { at: cell.failpoint, answered: 1, polled: 'inside', entry } as const;
  const nth = <T>(rows: readonly T[], at: number): T | undefined => rows[at % rows.length];
  const spot = nth(meeting.any, turn.failpoint + turn.manner);
  const special: Partial<Record<Cell['failpoint'], Partial<Catch> | undefined>> = {
    'within-batch': nth(meeting.several, turn.manner),
    'while-polling': nth(meeting.polled, turn.manner),
  };
  if (spot === undefined) throw new Error(`${cell.verb} is met nowhere on ${cell.cloud}`);
  return { ...rest, ...spot, ...special[cell.failpoint] };
}

/** Exactly where in its work a process is caught: at the first time that all of it holds. */
export interface Catch {
  readonly at: Failpoint;
  /** The verb of the request: a replacement is a deletion and then a creation. */
  readonly verb: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  /** Within a batch: the number of its answered writes. */
  readonly answered: number;
  /** The poll: of an operation or a state `inside` the write, of a machine's `state` after it, or of the whole scope by a `look`. */
  readonly polled: 'inside' | 'state' | 'look';
  /** The entry that is being appended. */
  readonly entry: 'intent' | 'settlement';
}
