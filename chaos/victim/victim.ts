import { onInterrupt } from '../../src/cli/interrupt.ts';
import { runCli } from '../../src/cli/program.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { type Ground, houseAt } from '../house.ts';
import { clockAt } from '../pace.ts';
import type { Catch } from './catch.ts';
import { gateOf, holdForDirector } from './gate.ts';
import { gatedProvider } from './gated-provider.ts';
import { gatedStore } from './gated-store.ts';

export interface Orders extends Ground {
  readonly catching: Catch;
}

/** As src/bootstrap/cli.ts composes the command line, with gates. */
export async function victim(args: readonly string[], { catching, ...ground }: Orders): Promise<number> {
  const house = houseAt(ground);
  const gate = gateOf(catching, holdForDirector);
  const interrupt = onInterrupt(process, () => process.exit(130));
  return runCli(
    args,
    {
      terminal: processTerminal(process),
      clock: clockAt(ground.pace),
      stop: interrupt.signal,
      house: {
        ...house,
        cloud: async (cloud) => gatedProvider(await house.cloud(cloud), gate),
        store: async (folder, opening, say) => {
          const store = await house.store(folder, opening, say);
          return store && gatedStore(store, gate);
        },
      },
    },
    'chaos',
  ).finally(interrupt.release);
}
