import { missed } from './bounds.ts';
import type { Figure } from './figure.ts';

type Bench = (args: readonly string[]) => Promise<readonly Figure[]>;

/** Loaded one by one, so that none runs in what another left in memory. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  'observe-calls': async () => unasked((await import('./observe-calls.ts')).observeCalls),
  'observe-calls-gcp': async () => unasked((await import('./observe-calls-gcp.ts')).observeCallsGcp),
  'observe-calls-azure': async () => unasked((await import('./observe-calls-azure.ts')).observeCallsAzure),
  'second-pass': async () => unasked((await import('./second-pass.ts')).secondReconcile),
  'rules-10k': async () => unasked((await import('./rules-10k.ts')).rules10k),
  'growth-order': async () => unasked((await import('./growth-order.ts')).growthOrder),
  'growth-limiter': async () => unasked((await import('./growth-limiter.ts')).growthLimiter),
  'predicted-calls': async () => unasked((await import('./predicted-calls.ts')).predictedCalls),
  makespan: async () => unasked((await import('./makespan.ts')).makespan),
  'nsg-1000': async () => unasked((await import('./azure-writes.ts')).nsg1000),
  'subnets-1000': async () => unasked((await import('./azure-writes.ts')).subnets1000),
  'scopes-1000': async () => unasked((await import('./scopes-1000.ts')).scopes1000),
  'plan-100k': async () => unasked((await import('./plan-100k.ts')).plan100k),
  policy: async () => unasked((await import('./policy.ts')).policies),
  'guard-rails': async () => unasked(async () => (await import('./guard-rails.ts')).guardRails()),
  'approval-bypass': async () => unasked(async () => (await import('./approval-bypass.ts')).approvalBypass()),
  undo: async () => unasked((await import('./undo.ts')).undo),
  effect: async () => unasked((await import('./effect.ts')).effect),
  'effect-differences': async () => unasked((await import('./effect-differences.ts')).effectDifferences),
  'cold-plan': async () => (await import('./cold-plan.ts')).coldPlan,
  'vs-terraform': async () => unasked((await import('./vs-terraform.ts')).vsTerraform),
  'unchanged-world': async () => unasked((await import('./unchanged-world.ts')).unchangedWorld),
  'lost-store': async () => unasked((await import('./lost-store.ts')).lostStore),
  'two-fleets': async () => unasked((await import('./two-fleets.ts')).twoFleets),
  'fleet-budget': async () => (await import('./fleet-budget.ts')).fleetBudgetAsked,
  'no-redis-fleet': async () => (await import('./no-redis-fleet.ts')).noRedisFleetAsked,
  'throttle-storm': async () => unasked((await import('./throttle-storm.ts')).throttleStorm),
  'commit-to-converged': async () => unasked((await import('./commit-to-converged.ts')).commitToConverged),
  'event-to-heal': async () => unasked((await import('./event-to-heal.ts')).eventToHeal),
  preempt: async () => unasked((await import('./preempt.ts')).preempt),
  'import-recorded': async () => unasked((await import('./import-recorded.ts')).importRecorded),
  import: async () => unasked((await import('./import.ts')).importAccounts),
  'import-terraform': async () => unasked((await import('./import-terraform.ts')).importTerraform),
  normalisation: async () => unasked((await import('./normalisation.ts')).normalisation),
  'api-100k': async () => (await import('./api-100k.ts')).api100k,
  queue: async () => unasked((await import('./queue.ts')).queue),
  sse: async () => (await import('./sse.ts')).sseAsked,
  console: async () => (await import('./console.ts')).consoleFigures,
  'hostile-events': async () => unasked((await import('./hostile-events.ts')).hostileEvents),
  'hostile-spec': async () => unasked((await import('./hostile-spec.ts')).hostileSpec),
  'loop-delay': async () => unasked((await import('./loop-delay.ts')).loopDelay),
  'hostile-git': async () => unasked((await import('./hostile-git.ts')).hostileGit),
  tokens: async () => unasked((await import('./hostile-tokens.ts')).hostileTokens),
  secrets: async () => unasked((await import('./secrets.ts')).secrets),
  'installed-size': async () => unasked((await import('./installed-size.ts')).installedSize),
  tamper: async () => unasked((await import('./tamper.ts')).tamper),
  'fuzz-specs': async () => (await import('./fuzz-specs.ts')).fuzzSpecs,
};

const unasked =
  (run: () => Promise<readonly Figure[]>): Bench =>
  () =>
    run();

/**
 * `npm run bench -- [NAME…] [--option…]`: one JSON object a line and figure on stdout, what is going on on stderr. Exits
 * with 1 where a bench broke or a figure is not what was asked. Options go to the one bench named.
 */
async function main(argv: readonly string[]): Promise<boolean> {
  const first = argv.findIndex((arg) => arg.startsWith('--'));
  const [names, options] = first < 0 ? [argv, []] : [argv.slice(0, first), argv.slice(first)];
  const unknown = names.filter((name) => !(name in benches));
  if (unknown.length > 0 || (options.length > 0 && names.length !== 1)) {
    console.error(unknown.length > 0 ? `There is no bench ${unknown.join(', ')}.` : 'Options belong to one bench.');
    console.error(`Benches: ${Object.keys(benches).join(', ')}`);
    return false;
  }
  const good: boolean[] = [];
  for (const name of names.length > 0 ? names : Object.keys(benches)) good.push(await one(name, options));
  return good.every(Boolean);
}

async function one(name: string, options: readonly string[]): Promise<boolean> {
  const from = performance.now();
  console.error(`${name}: begins`);
  try {
    const figures = (await (await benches[name]?.())?.(options)) ?? [];
    for (const figure of figures) console.log(JSON.stringify(figure));
    const misses = figures.flatMap((figure) => missed(figure) ?? []);
    for (const miss of misses) console.error(`MISSED ${miss}`);
    console.error(`${name}: ended after ${((performance.now() - from) / 1000).toFixed(1)} s`);
    return misses.length === 0;
  } catch (error) {
    console.error(`${name}: broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return false;
  }
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
