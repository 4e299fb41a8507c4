import { missed } from '../bench/bounds.ts';
import type { Figure } from '../bench/figure.ts';

type Chaos = (args: readonly string[]) => Promise<readonly Figure[]>;

const all: Readonly<Record<string, () => Promise<Chaos>>> = {
  kill: async () => (await import('./kill.ts')).kill,
  takeover: async () => (await import('./takeover.ts')).takeover,
  restarts: async () => (await import('./restarts.ts')).restarts,
  'full-disk': async () => (await import('./full.ts')).fullDisk,
  'full-redis': async () => (await import('./full.ts')).fullRedis,
  random: async () => (await import('./random.ts')).random,
  paused: async () => (await import('./paused.ts')).paused,
  'dead-at-boot': async () => (await import('./dead-at-boot.ts')).deadAtBoot,
  held: async () => (await import('./held.ts')).held,
  skew: async () => (await import('./skew.ts')).skew,
  'silent-link': async () => (await import('./silent-link.ts')).silentLink,
};

/** Options of the short form of each, for a shared machine. */
const ciOptions: readonly (readonly [name: string, options: readonly string[]])[] = [
  ['kill', ['--fewer', '--at-once', '6']],
  ['random', ['--kills', '8', '--resources', '100']],
  ['restarts', ['--times', '1', '--within', '300']],
  ['paused', ['--times', '1']],
  ['silent-link', ['--times', '1']],
  ['held', ['--times', '1', '--watch-ms', '5000', '--only', 'estate']],
  ['skew', ['--times', '1', '--lag-ms', '10000', '--lost', 'CreateInternetGateway,RunInstances']],
  ['dead-at-boot', ['--only', 'dies', '--watch-ms', '5000']],
  ['full-disk', ['--times', '1']],
  ['full-redis', ['--times', '1']],
  ['takeover', ['--kills', '2', '--fleets', '1']],
];

/** Durations get another name, so that they are printed and not judged: a shared machine is slow. */
async function ci(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, options] of ciOptions) figures.push(...(await run(name, options)));
  return figures.map((figure) => (figure.unit === 's' ? { ...figure, name: `${figure.name}-here` } : figure));
}

const run = async (name: string, options: readonly string[]): Promise<readonly Figure[]> =>
  (await (await all[name]?.())?.(options)) ?? [];

/**
 * `npm run chaos [-- NAME] [--option…]`: processes that die, stop and lose their servers at work. Prints figures as the benches
 * do, what is going on on stderr; exits with 1 where a figure is not what was asked. Options without a name are those of `kill`.
 */
async function main(argv: readonly string[]): Promise<boolean> {
  const [first] = argv;
  const named = first !== undefined && !first.startsWith('--');
  if (named && !(first in all || first === 'ci')) {
    console.error(`There is no ${first}. There are: ${[...Object.keys(all), 'ci'].join(', ')}.`);
    return false;
  }
  const unnamed = argv.length > 0 ? ['kill'] : Object.keys(all);
  const names = named ? [first] : unnamed;
  const good: boolean[] = [];
  for (const name of names) good.push(await one(name, named ? argv.slice(1) : argv));
  return good.every(Boolean);
}

/** Its whole text was printed before. */
const headOf = (evidence: string): string => evidence.split('\n', 1)[0]?.slice(0, 300) ?? '';

async function one(name: string, options: readonly string[]): Promise<boolean> {
  const from = performance.now();
  console.error(`${name}: begins`);
  const figures = await (name === 'ci' ? ci() : run(name, options));
  for (const { evidence, ...told } of figures) console.log(JSON.stringify(told));
  const misses = figures.filter((figure) => missed(figure) !== undefined);
  for (const miss of misses)
    console.error([`MISSED ${missed(miss)}`, ...(miss.evidence ?? []).map(headOf)].join('\n  '));
  console.error(`${name}: ended after ${((performance.now() - from) / 1000).toFixed(1)} s`);
  return misses.length === 0;
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
