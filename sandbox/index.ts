import { readFile } from 'node:fs/promises';
import { armProtocol } from './arm/arm-protocol.ts';
import { type ArmOptions, makeWorld as makeArm } from './arm/world.ts';
import { makeBudgets } from './budgets.ts';
import { type ClockOptions, makeClock } from './clock.ts';
import { computeProtocol } from './compute/compute-protocol.ts';
import { type ComputeOptions, makeWorld as makeCompute } from './compute/world.ts';
import { answerControl, CONTROL_PREFIX, type Control, loadEstates } from './control.ts';
import { type AccountOptions, DEFAULT_ACCOUNTS, makeAccounts } from './ec2/accounts.ts';
import { ec2Protocol } from './ec2/ec2-protocol.ts';
import type { Durations, Quotas } from './ec2/region.ts';
import { makeWorld } from './ec2/world.ts';
import { type Destination, readDestinations } from './events/destination.ts';
import { makeEvents } from './events/events.ts';
import { exchange, type Shared } from './exchange.ts';
import { makeFaults } from './faults.ts';
import { JsonProblem } from './json.ts';
import { type LagOptions, makeLag } from './lag.ts';
import type { Protocol, WireRequest } from './protocol.ts';
import { seededRandom } from './random.ts';
import { makeRequestLog } from './request-log.ts';
import { awsProtocol as awsSecrets } from './secrets/aws-protocol.ts';
import { azureProtocol as azureSecrets } from './secrets/azure-protocol.ts';
import { googleProtocol as googleSecrets } from './secrets/google-protocol.ts';
import { makeSecretStore } from './secrets/secret-store.ts';
import { listen } from './server.ts';
import { makeSpellings } from './spelling.ts';
import { stsProtocol } from './sts-protocol.ts';

export type SandboxOptions = ListenOptions & Behaviour & Contents & Clouds & EventOptions;

interface ListenOptions {
  /** Loopback only; default 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** The address in links of answers, for clients behind a proxy. Default: the host of each request. */
  readonly publicUrl?: string;
}

interface Behaviour {
  /** All that is random follows from it; default 1. */
  readonly seed?: number;
  readonly clock?: ClockOptions;
  readonly lag?: LagOptions;
  /**
   * Answers say each thing in one of the spellings that its cloud uses, drawn from this number for each object and each answer
   * (`spelling-table.ts` of each cloud). Default 0: in the sandbox's own.
   */
  readonly spellings?: number;
  /** Enforces the published request budgets; default true. */
  readonly budgets?: boolean;
}

interface Contents {
  /** Default: one account, 111122223333, whose access key id is AKIDEXAMPLE (or test). */
  readonly accounts?: readonly AccountOptions[];
  /**
   * The first contents of the clouds: an estate in the form of the `cloud` that it names (`ec2/estate.ts` if it names
   * none), or a list of estates. Default: nothing, not even a default VPC.
   */
  readonly estate?: unknown;
  /** The same in a JSON file. */
  readonly estateFile?: string;
  readonly durations?: Partial<Durations>;
  readonly quotas?: Partial<Quotas>;
}

/** Options of Google's and Azure's clouds. */
interface Clouds {
  readonly compute?: ComputeOptions;
  readonly arm?: ArmOptions;
}

interface EventOptions {
  /** Whom the clouds tell of what clients write. Default: nobody. */
  readonly events?: readonly Destination[];
  /** The same in a JSON file; those of both are told. */
  readonly eventsFile?: string;
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
  const ec2 = makeWorld({ seed, lag, durations, quotas });
  const compute = makeCompute({ ...options.compute, seed, lag });
  const arm = makeArm({ ...options.arm, seed, lag });
  const secrets = makeSecretStore(seededRandom(seed, 'secrets'));
  const accounts = makeAccounts(options.accounts ?? DEFAULT_ACCOUNTS, seededRandom(seed, 'sessions'));
  const spellings = makeSpellings(options.spellings);
  const destinations = await destinationsOf(options);
  const events = makeEvents({ seed, clock, worlds: { compute, arm }, accounts });
  const shared: Shared = {
    clock,
    budgets: makeBudgets(clock, options.budgets ?? true),
    faults: makeFaults(seededRandom(seed, 'faults')),
    log: makeRequestLog(),
    random: seededRandom(seed, 'requests'),
    spellings,
    heard: events.heard,
  };
  const { budgets, faults, log } = shared;
  const control: Control = { clock, lag, budgets, faults, log, spellings, events, ec2, compute, arm, secrets };
  if (options.estate !== undefined) loadEstates(control, options.estate);
  if (options.estateFile !== undefined) loadEstates(control, await readJson(options.estateFile));
  const protocols: readonly Protocol[] = [
    stsProtocol({ clock, accounts }),
    awsSecrets({ clock, accounts, store: secrets }),
    ec2Protocol({ clock, accounts, regionOf: ec2.region }),
    computeProtocol({ clock, world: compute }),
    armProtocol({ clock, budgets, world: arm }),
    googleSecrets(secrets),
    azureSecrets(secrets),
  ];
  const { url, close } = await listen({
    host,
    port,
    onePerConnection: options.publicUrl !== undefined,
    respond: async (request) =>
      request.path.startsWith(CONTROL_PREFIX)
        ? answerControl(control, request)
        : exchange(shared, protocols, addressed(request, options.publicUrl)),
  });
  events.subscribe(destinations);
  return { url, close: async () => void (await Promise.all([events.close(), close()])), control };
}

async function destinationsOf({ events, eventsFile: file }: EventOptions): Promise<readonly Destination[]> {
  const given = readDestinations(events ?? [], 'events');
  return file === undefined ? given : [...given, ...readDestinations(await readJson(file), file)];
}

function addressed(request: WireRequest, publicUrl: string | undefined): WireRequest {
  if (publicUrl === undefined) return request;
  return { ...request, headers: { ...request.headers, host: new URL(publicUrl).host } };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new JsonProblem(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
