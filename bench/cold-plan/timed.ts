import { type Command, runToEnd } from '../process/measured.ts';
import { expectCode } from '../process/setpoint.ts';

/** Milliseconds that each run of a command took, from its start to its end. */
export interface Timed {
  readonly least: number;
  readonly median: number;
}

/** Runs commands in turn, so many times each, after a round that is not counted: what can be warm is warm. */
export async function timed(commands: readonly Command[], rounds: number): Promise<readonly Timed[]> {
  const taken = commands.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, command] of commands.entries()) {
      const ms = await timeOf(command);
      if (round > 0) taken[index]?.push(ms);
    }
  return taken.map((all) => {
    const sorted = all.toSorted((a, b) => a - b);
    return { least: sorted[0] ?? Number.NaN, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
  });
}

async function timeOf(command: Command): Promise<number> {
  const ended = await runToEnd(command);
  expectCode({ ...ended, peakMB: Number.NaN }, 0, command.args.join(' '));
  return ended.ms;
}
