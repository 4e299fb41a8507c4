import type { Command } from 'commander';
import type { Allowance } from '../../core/limits.ts';
import { whole } from '../output/number.ts';

/** Options of commands that a limit may hold back. `says`: the help of one, about what it lets pass. */
export const withAllowances = (command: Command, says: (subject: string) => string): Command =>
  command
    .option('--allow-deletes <n>', says('deletes and replaces'), whole(0, 1_000_000))
    .option('--allow-creates <n>', says('new machines'), whole(0, 1_000_000))
    .option('--allow-closures <n>', says('closures of rules that nobody wrote'), whole(0, 1_000_000));

/** The options above, as commander names them. */
export const allowanceOptions: readonly (keyof Allowance)[] = ['allowDeletes', 'allowCreates', 'allowClosures'];
