import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import type { House } from '../house.ts';
import { specsOnceInForce } from '../kept-specs.ts';

export interface Kept {
  /** The store's folder. */
  readonly dir: string;
  readonly inForceOf?: string;
}

/** The same house, but that its specs are those of a commit that was in force once: the store keeps them. */
export const houseAt = (commit: string, { dir: folder, inForceOf: estate }: Kept, context: Context): House => ({
  ...context.house,
  specs: async () => {
    refuseNoCommit(commit);
    return specsOnceInForce(commit, { folder, ...(estate === undefined ? {} : { estate }) }, context);
  },
});

const shortest = 7;

function refuseNoCommit(commit: string): void {
  if (/^[0-9a-f]{7,40}$/i.test(commit)) return;
  throw new Complaint(`${JSON.stringify(commit)} is no commit.`, {
    next: `Name it by ${shortest} to 40 hexadecimal digits, as \`setpoint status\` and \`git log\` show it.`,
  });
}
