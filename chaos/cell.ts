import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { Logged } from '../sandbox/request-log.ts';
import { censusOf, differences, wantedCensus } from './census.ts';
import { patientLeaseMs, rate } from './clock.ts';
import { type ChaosDatabase, type LedgerGate, ledgerGate } from './database.ts';
import { type ProcessSettings, type Said, second } from './dependencies.ts';
import { type Catch, type Cell, catchOf, nameOf, type TrialVerb } from './matrix.ts';
import { type Passage, passage } from './passage.ts';
import { specsOf, type TrialCloud, type Wanted } from './specs.ts';
import type { Orders } from './victim-program.ts';
import { closedToOffice, marksOf, secretsShown } from './violations.ts';

export type Violations = readonly string[];

const stages: Readonly<Record<TrialVerb, Exclude<Wanted, 'nothing' | 'before'> | 'before'>> = {
  create: 'before',
  update: 'updated',
  replace: 'replaced',
  delete: 'reduced',
  surge: 'surged',
};

let estates = 0;
/** Even on a machine with too much to do. */
const longestMs = 400_000;

/**
 * One cell: a process is caught at its failpoint and disturbed, a second one applies the same specs, and then everything
 * must be as if nothing had happened. Judged by the sandbox's own estate and log; only the ledger is asked of our code.
 * `leaseMs`: the lease of the first outlives it by so long.
 */
export function runCell(cell: Cell, database: ChaosDatabase, leaseMs: number): Promise<Violations> {
  const estate = `t${++estates}-${process.pid}`;
  return withTrial({ cloud: cell.cloud, estate, database, leaseMs }, async (trial, watch) => {
    const violations: string[] = [];
    const expect = (good: boolean, what: string): void => void (good || violations.push(what));
    try {
      let doing = 'the specs before';
      const now = (what: string): void => {
        doing = what;
      };
      await within(longestMs, tried({ cell, trial, watch, expect, now }), () => `${doing}: not ended`);
    } catch (error) {
      if (error instanceof Unmet) throw error;
      violations.push(error instanceof Error ? error.message : String(error));
    }
    if (violations.length > 0)
      console.error(`${nameOf(cell)}: all that its processes said\n${trial.hands.said.join('\n')}`);
    return violations;
  });
}

/**
 * The failpoint was not met: a busy machine took the short lease away before, or answered each request before the next was
 * sent, so that no two of a batch were under way at once.
 */
export class Unmet extends Error {}

interface Trying {
  readonly cell: Cell;
  readonly trial: Trial;
  readonly watch: (watcher: Watcher) => void;
  readonly expect: (good: boolean, what: string) => void;
  /** Names the step that is waited for from now on. */
  readonly now: (what: string) => void;
}

async function tried(trying: Trying): Promise<void> {
  const { cell, trial, watch, expect, now } = trying;
  const { hands } = trial;
  if (cell.verb !== 'create') {
    await hands.want('before');
    expectCode(await hands.run(hands.apply), 'the specs before');
    watch(() => {
      const why = closedToOffice(cell.cloud, trial.sandbox.control);
      expect(why === undefined, `the office was shut out for a moment: ${why}`);
    });
  }
  await hands.want(stages[cell.verb]);
  now('the first process');
  await disturb(trying);
  now('the second process');
  const last = await recovered(trial);
  now('the pass after quiet');
  await judge(trying, last);
}

/**
 * The second process applies the same specs. What rests on something that may still come to light it shows as withheld, and
 * nobody approves what was not shown: then the same command once more, as a loop would run it. What is still withheld then is shown again
 * once the clouds' window is over.
 */
async function recovered({ hands }: Trial): Promise<Said> {
  const first = await hands.run(hands.apply);
  expectCode(first, 'the second process');
  if (!isWithheld(first)) return first;
  const again = await hands.run(hands.apply);
  expectCode(again, 'the second process, once more');
  if (!isWithheld(again)) return again;
  await sleep(windowMs);
  const last = await hands.run(hands.apply);
  expectCode(last, 'the second process, after the window');
  return last;
}

const isWithheld = ({ err }: Said): boolean => / [1-9]\d* (?:blocked|withheld)/.test(err);

/** The five minutes in which a cloud may show late what was written, at the pace of the trial, and some time to be sure. */
const windowMs = (330_000 / rate) * 1.2;

async function disturb({ cell, trial, watch, expect, now }: Trying): Promise<void> {
  const { hands, sandbox } = trial;
  const catching = catchOf(cell);
  const victim = startVictim(hands.apply, { ...hands.settings, leaseMs: trial.leaseMs, catching });
  try {
    if ((await victim.met()) === 'ended') await unmet(victim);
    const disturbance = { trial, victim, catching, watch };
    const caught = await Promise.race([caughtAt(disturbance), unmet(victim)]);
    let before = 0;
    now('the first process, caught');
    const end = await disturbed(cell.manner, caught, disturbance, async () => {
      expectCode(await hands.run(hands.apply), 'the rival, with the first process stopped');
      if (cell.failpoint === 'before-sending') await givenUp(hands);
      before = writesIn(sandbox);
    });
    hands.said.push(end.said);
    expect(!/^Node\.js v/m.test(end.said), `the first process broke:\n${end.said}`);
    if (cell.manner === 'stop') {
      const late = writesIn(sandbox) - before;
      const may = stillSent.has(cell.failpoint) ? mostTogether : 0;
      expect(late <= may, `${late} writes of a process whose lease had gone:\n${end.said}`);
    }
  } finally {
    victim.signal('SIGKILL');
  }
}

/** The first process stands still for so long that its call is expected no more. It will send it all the same. */
async function givenUp(hands: Trial['hands']): Promise<void> {
  await sleep(windowMs);
  expectCode(await hands.run(hands.apply), 'the rival, after the window');
}

/** The first process ends though nobody has disturbed it. */
async function unmet(victim: VictimProcess): Promise<never> {
  const { how, said } = await victim.ended();
  const Trouble = said.includes('stopped') || how === '0' ? Unmet : Error;
  throw new Trouble(`the failpoint was not met; the first process ended with ${how}:\n${said}`);
}

/** At these points other requests may be checked and not yet at the cloud: they go side by side with the caught one. */
const stillSent: ReadonlySet<Cell['failpoint']> = new Set(['before-sending', 'before-answer', 'within-batch']);
/** These may still be sent, and nothing else: of the three that these specs send side by side, two are on their way already. */
const mostTogether = 1;

const writesIn = ({ control }: Trial['sandbox']): number => control.log.entries({ mutating: true }).length;

async function judge({ cell, trial, expect }: Trying, last: Said): Promise<void> {
  const { hands, sandbox } = trial;
  await sleep(settleMs);
  const before = writesIn(sandbox);
  const quiet = await hands.run(hands.apply);
  expect(quiet.code === 0, `the pass after quiet ended with ${quiet.code}:\n${quiet.err}${quiet.out}`);
  const writes = sandbox.control.log.entries({ mutating: true }).slice(before);
  expect(
    writes.length === 0,
    `the pass after quiet wrote: ${writes.map(({ action }) => action)}; before it the second process said:\n${last.err}${last.out}`,
  );
  for (const line of differences(censusOf(cell.cloud, sandbox.control), wantedCensus(cell.cloud, stages[cell.verb])))
    expect(false, line);
  const verified = await hands.verify();
  expect(verified.code === 0, `the ledger: ${verified.out}${verified.err}`);
  for (const shown of await secretsIn(trial)) expect(false, shown);
}

const secretsIn = ({ cloud, estate, database, hands, sandbox }: Trial): Promise<readonly string[]> =>
  secretsShown(
    { estate, database: database.owner },
    { 'what processes said': hands.said.join('\n'), 'what the cloud shows': marksOf(cloud, sandbox.control) },
  );

/** Half a minute of the cloud's: machines come up. */
const settleMs = 500;

function expectCode({ code, out, err }: Said, who: string): void {
  if (code !== 0) throw new Error(`${who} ended with ${code}:\n${err}${out}`);
}

interface Disturbance {
  readonly trial: Trial;
  readonly victim: VictimProcess;
  readonly catching: Catch;
  readonly watch: (watcher: Watcher) => void;
}

/** The first process is caught, and lets go of nothing until `let`. */
interface Caught {
  let(): Promise<void>;
}

/** A process whose gate is in the cloud or the database is resumed, and caught there. */
async function caughtAt({ trial, victim, catching, watch }: Disturbance): Promise<Caught> {
  switch (catching.at) {
    case 'before-answer':
      return unanswered({ trial, victim, watch });
    case 'while-appending': {
      const gate = await ledgerGate(trial.database.owner, trial.estate, catching);
      victim.reconcile();
      return appending(gate);
    }
    default:
      return { let: async () => victim.reconcile() };
  }
}

/** A request that was let go with another arrives so soon after it, on a machine that has time. */
const arrivesMs = 300;

async function unanswered({ trial, victim, watch }: Pick<Disturbance, 'trial' | 'victim' | 'watch'>): Promise<Caught> {
  const { cloud } = trial.ways;
  // why: only the answer to a write is held; a write may be preceded by a read, which must be answered for it to be sent
  let writes = 0;
  const carriedOut = new Promise<void>((resolve) =>
    watch(({ mutating }) => {
      if (!mutating) return;
      writes += 1;
      if (writes > 1) return;
      cloud.hold();
      cloud.open();
      resolve();
    }),
  );
  victim.reconcile();
  await within(patienceMs, carriedOut, () => 'nothing was sent to the cloud');
  // why: the requests that went side by side with it arrive too, and none is left to be sent late
  for (let before = 0; before < writes; await sleep(arrivesMs)) before = writes;
  return { let: async () => cloud.let() };
}

async function appending(gate: LedgerGate): Promise<Caught> {
  try {
    await gate.caught();
  } catch (error) {
    await gate.open();
    throw error;
  }
  let opened: Promise<void> | undefined;
  return {
    let: () => {
      opened ??= gate.open();
      return opened;
    },
  };
}

/** Work of the second process while the first stands still. */
type Rival = () => Promise<void>;

/** Until the first process has come to its end. Returns how it did. */
async function disturbed(
  manner: Cell['manner'],
  caught: Caught,
  { trial, victim, catching }: Disturbance,
  rival: Rival,
): Promise<{ readonly how: string; readonly said: string }> {
  switch (manner) {
    case 'kill':
      victim.signal('SIGKILL');
      await caught.let();
      return victim.ended();
    case 'stop': {
      victim.signal('SIGSTOP');
      // why: the database ends its statement, whoever asked for it stands still
      if (catching.at === 'while-appending') await caught.let();
      await sleep(trial.leaseMs + 100);
      await rival();
      await caught.let();
      victim.signal('SIGCONT');
      return ofItself(victim);
    }
    case 'cut':
      for (const way of [trial.ways.cloud, trial.ways.database]) way.cut();
      await caught.let();
      return ofItself(victim);
  }
}

/** A victim tries again for a minute by itself. A busy machine makes that several, and only one that hangs takes longer. */
const patienceMs = 300_000;

async function ofItself(victim: VictimProcess): Promise<{ readonly how: string; readonly said: string }> {
  try {
    return await within(patienceMs, victim.ended(), () => 'it did not end');
  } catch (error) {
    victim.signal('SIGKILL');
    const { said } = await victim.ended();
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${said}`, { cause: error });
  }
}

/** A process that stops at its gate and waits for us. */
interface VictimProcess {
  /** It stands at the gate; `ended` where it came to its end without. */
  met(): Promise<'held' | 'ended'>;
  /** Lets it go on from the gate. */
  reconcile(): void;
  signal(name: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it, and what it said. */
  ended(): Promise<{ readonly how: string; readonly said: string }>;
}

const program = fileURLToPath(new URL('./victim.ts', import.meta.url));

function startVictim(args: readonly string[], orders: Orders): VictimProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, CHAOS_VICTIM: JSON.stringify(orders) },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const said = heard(child);
  const ended = once(child, 'close').then(([code, signal]) => ({ how: String(signal ?? code), said: said() }));
  const wire = child.stdio[3];
  if (!(wire instanceof Duplex)) throw new Error('a victim has a wire to its director');
  wire.on('error', () => {});
  const held = once(wire, 'data').then(
    () => 'held' as const,
    () => 'ended' as const,
  );
  return {
    met: () => Promise.race([held, ended.then(() => 'ended' as const)]),
    reconcile: () => void wire.write('!'),
    signal: (name) => void child.kill(name),
    ended: () => ended,
  };
}

function heard({ stdout, stderr }: ChildProcess): () => string {
  const parts: string[] = [];
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', (text) => parts.push(String(text)));
  return () => parts.join('');
}

interface Plot {
  readonly cloud: TrialCloud;
  readonly estate: string;
  readonly database: ChaosDatabase;
  /** The lease of the first process outlives it by so long. */
  readonly leaseMs: number;
}

/** One estate on one cloud of its own, with what is needed to disturb it. */
interface Trial extends Plot {
  readonly sandbox: Sandbox;
  /** Both lead through passages: for the first process and the second alike. */
  readonly ways: { readonly cloud: Passage; readonly database: Passage };
  readonly hands: Hands;
}

interface Hands {
  /** The settings of its processes. */
  readonly settings: ProcessSettings;
  want(wanted: Wanted): Promise<void>;
  /** The command line that applies what is wanted. */
  readonly apply: readonly string[];
  /** Runs a verb in this process, which is the second one. */
  run(args: readonly string[]): Promise<Said>;
  verify(): Promise<Said>;
  /** All that its processes said. */
  readonly said: string[];
}

/** Told of each request as the cloud has answered it, before its caller knows. */
type Watcher = (entry: Logged) => void;

async function withTrial<T>(
  { database, ...what }: Plot,
  work: (trial: Trial, watch: (watcher: Watcher) => void) => Promise<T>,
): Promise<T> {
  const start = Date.now();
  const sandbox = await startSandbox({ clock: { rate, start } });
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-chaos-'));
  const ways = {
    cloud: await passage(() => Number(new URL(sandbox.url).port)),
    database: await passage(() => Number(new URL(database.url).port)),
  };
  const watchers: Watcher[] = [];
  const { log } = sandbox.control;
  const { add } = log;
  log.add = (entry) => {
    add(entry);
    for (const watcher of watchers) watcher(entry);
  };
  const databaseUrl = database.url.replace(/:\d+\//, `:${ways.database.port}/`);
  const hands = handsOf(
    { ...what, endpoint: `http://127.0.0.1:${ways.cloud.port}`, folder, dir: database.dir },
    {
      pace: { start, rate },
      databaseUrl,
      leaseMs: patientLeaseMs,
    },
  );
  try {
    return await work({ ...what, sandbox, database, ways, hands }, (watcher) => watchers.push(watcher));
  } finally {
    await Promise.all([ways.cloud.close(), ways.database.close(), sandbox.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Place {
  readonly cloud: TrialCloud;
  readonly estate: string;
  readonly endpoint: string;
  readonly folder: string;
  readonly dir: string;
}

function handsOf({ folder, dir, ...place }: Place, settings: ProcessSettings): Hands {
  const said: string[] = [];
  const specs = join(folder, 'specs');
  const store = ['--dir', dir];
  const heard = async (args: readonly string[]): Promise<Said> => {
    const end = await second(args, settings);
    said.push(end.out, end.err);
    return end;
  };
  return {
    settings,
    said,
    want: async (wanted) => {
      await mkdir(specs, { recursive: true });
      await writeFile(join(specs, 'estate.yaml'), specsOf(place, wanted));
    },
    // why: on this clock ten minutes are ten seconds, and leases keep our time. Cells share a database, and each has an estate of its own
    apply: ['apply', specs, ...store, '--yes', '--allow-endpoint', '--allow-shared-scopes', '--lock-timeout', '2h'],
    run: heard,
    verify: () => heard(['ledger', '--estate', place.estate, 'verify', ...store]),
  };
}

/** Rejects where it takes longer, and says what did. */
async function within<T>(ms: number, work: Promise<T>, what: () => string): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what()} in ${ms / 1000} s`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}
