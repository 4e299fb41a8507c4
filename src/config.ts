import { loadProvider } from '../providers/index.ts';
import type { House } from './cli/house.ts';
import { inProcessLimiter } from './engine/limiter.ts';
import type { Clock } from './ports/clock.ts';
import { loadSpecs } from './source/load.ts';

/** Wires the command line to what it works with. Nothing is opened, and no SDK loaded, before it is asked for. */
export const houseOn = (clock: Clock): House => ({
  specs: (dir) => loadSpecs(dir, new Date(clock.now()).toISOString().slice(0, 10)),
  store: async () => undefined,
  cloud: loadProvider,
  sandbox: async ({ port, seed, speed, lagMs, estateFile }) => {
    const { startSandbox } = await import('../sandbox/index.ts');
    return startSandbox({
      port,
      seed,
      clock: { rate: speed },
      lag: { ms: lagMs },
      ...(estateFile === undefined ? {} : { estateFile }),
    });
  },
  limiter: inProcessLimiter({ clock }),
});
