import { readFile } from 'node:fs/promises';
import { makeBudgets } from './budgets.ts';
import { type ClockOptions, makeClock } from './clock.ts';
import type { Control } from './control.ts';
import { answerControl, CONTROL_PREFIX } from './control-http.ts';
import { type AccountOptions, DEFAULT_ACCOUNTS, makeAccounts } from './ec2/accounts.ts';
import type { Durations } from './ec2/durations.ts';
import { ec2Protocol } from './ec2/ec2-protocol.ts';
import type { Quotas } from './ec2/quotas.ts';
import { makeWorld } from './ec2/world.ts';
import { exchange, type Shared } from './exchange.ts';
import { makeFaults } from './faults.ts';
import { JsonProblem } from './json-problem.ts';
import { type LagOptions, makeLag } from './lag.ts';
import { seededRandom } from './random.ts';
import { makeRequestLog } from './request-log.ts';
import { listen } from './server.ts';
import { stsProtocol } from './sts/sts-protocol.ts';

export type SandboxOptions = Where & Behaviour & Contents;

interface Where {
  /** Loopback only; default 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
}

interface Behaviour {
  /** All that is random follows from it; default 1. */
  readonly seed?: number;
  readonly clock?: ClockOptions;
  readonly lag?: LagOptions;
  /** Whether the published request budgets hold; default true. */
  readonly budgets?: boolean;
}

interface Contents {
  /** Default: one account, 111122223333, whose access key id is AKIDEXAMPLE (or test). */
  readonly accounts?: readonly AccountOptions[];
  /** What the accounts hold at the start, in the form of `ec2/estate-form.ts`. Default: nothing, not even a default VPC. */
  readonly estate?: unknown;
  /** The same in a JSON file. */
  readonly estateFile?: string;
  readonly durations?: Partial<Durations>;
  readonly quotas?: Partial<Quotas>;
}

export interface Sandbox {
  readonly url: string;
  readonly control: Control;
  close(): Promise<void>;
}

/** The clouds on loopback. Prints nothing, writes nothing; `close` cuts every connection. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, host = '127.0.0.1', port = 0, durations, quotas } = options;
  const clock = makeClock(options.clock);
  const lag = makeLag(clock, seededRandom(seed, 'lag'), options.lag);
  const shared: Shared = {
    clock,
    budgets: makeBudgets(clock, options.budgets ?? true),
    faults: makeFaults(seededRandom(seed, 'faults')),
    log: makeRequestLog(),
    random: seededRandom(seed, 'requests'),
  };
  const world = makeWorld({ seed, lag, durations, quotas });
  const control: Control = { clock, lag, budgets: shared.budgets, faults: shared.faults, log: shared.log, world };
  if (options.estate !== undefined) world.load(options.estate);
  if (options.estateFile !== undefined) world.load(await readJson(options.estateFile));
  const accounts = makeAccounts(options.accounts ?? DEFAULT_ACCOUNTS, seededRandom(seed, 'sessions'));
  const protocols = [stsProtocol({ clock, accounts }), ec2Protocol({ clock, accounts, regionOf: world.region })];
  const { url, close } = await listen({
    host,
    port,
    respond: async (request) =>
      request.path.startsWith(CONTROL_PREFIX) ? answerControl(control, request) : exchange(shared, protocols, request),
  });
  return { url, close, control };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new JsonProblem(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
