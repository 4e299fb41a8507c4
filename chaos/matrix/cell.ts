import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosDatabase } from '../database.ts';
import { censusOf, differences } from '../judge/census.ts';
import { marksOf } from '../judge/marks.ts';
import { closedToOffice } from '../judge/office.ts';
import { secretsShown } from '../judge/secrets.ts';
import { wantedCensus } from '../judge/wanted.ts';
import { rate } from '../pace.ts';
import type { Said } from '../second.ts';
import type { Wanted } from '../specs.ts';
import { startVictim, type VictimProcess } from '../wire/victim-process.ts';
import { catchOf } from './catches.ts';
import { type Cell, nameOf } from './cells.ts';
import { caughtAt, disturbed } from './disturb.ts';
import type { TrialVerb } from './sides.ts';
import { type Trial, type Watcher, withTrial } from './trial.ts';
import { within } from './within.ts';

/** What was not as it must be; nothing where all was. */
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
 * `leaseMs`: how long the lease of the first outlives it.
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
  /** What is waited for from now on. */
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
  const victim = startVictim(hands.apply, { ...hands.ground, leaseMs: trial.leaseMs, catching });
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

/** What the sandbox was asked for. */
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
