import { effectOf } from '../src/core/effect/effect.ts';
import type { Cloud } from '../src/core/resource.ts';
import { actionsOf, type EstateDraft, inputOf, type MachineDraft, type RuleDraft } from '../test/core/effect/estate.ts';
import type { Figure } from './figure.ts';
import { type Random, randomFrom } from './world/random.ts';

interface Size {
  readonly instances: number;
  readonly rules: number;
  readonly changes: number;
}

const clouds = ['aws', 'gcp', 'azure'] as const satisfies readonly Cloud[];

/**
 * One network of 40 subnets and 200 services of 25 machines: those of one service are in the group of all, in its own and in another one,
 * in two subnets, and of every third service with a public address.
 */
export function largeEstate(
  cloud: Cloud,
  { instances, rules, changes }: Size,
): { readonly draft: EstateDraft; readonly changes: readonly string[] } {
  const random = randomFrom(1);
  const machines = Array.from({ length: instances }, (_, at): MachineDraft => {
    const service = at % 200;
    const subnet = (service + (at % 400 < 200 ? 0 : 7)) % 40;
    return {
      ...{ name: `m-${at}`, subnet: `s${subnet}`, groups: ['all', `g${service % 100}`, `x${service % 13}`] },
      ...{ publicIp: service % 3 === 0, ip: `10.0.${subnet}.${Math.floor(at / 40)}`, filters: [] },
    };
  });
  const standing = Array.from(
    { length: rules },
    (_, at): RuleDraft => ({ name: `r${at}`, text: ruleText(cloud, at, random) }),
  );
  const out = cloud === 'aws' ? [{ name: 'out', text: 'all to 0.0.0.0/0 of all' }] : [];
  const gone = standing.filter((_, at) => at % Math.ceil((2 * rules) / changes) === 0).map(({ name }) => `-${name}`);
  const made = gone.map((_, at) => `+n${at}: ${ruleText(cloud, rules + at, random)}`);
  return {
    draft: {
      cloud,
      machines,
      rules: [...standing, ...out],
      cidrs: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}`, `10.0.${at}.0/24`])),
    },
    changes: [...gone, ...made],
  };
}

/** Most rules name a group, some a block outside, some a part of the network, and few the world. */
function ruleText(cloud: Cloud, at: number, random: Random): string {
  const port = 1000 + random.whole(200);
  const outside = `${20 + random.whole(100)}.${random.whole(200)}.0.0/16`;
  const inside = `10.0.${random.whole(40)}.0/24`;
  const peer = random.pick(
    [...Array.from({ length: 6 }, () => `g${random.whole(100)}`), outside, outside, inside, '0.0.0.0/0'],
    'all',
  );
  const rank = cloud === 'aws' ? '' : ` @ ${100 + (at % 4000)}`;
  const deny = cloud !== 'aws' && random.whole(10) === 0 ? 'deny ' : '';
  return `${deny}tcp ${port} from ${peer} to g${random.whole(100)}${rank}`;
}

interface Measured {
  readonly seconds: number;
  readonly told: number;
}

export function measureEffect(cloud: Cloud, size: Size): Measured {
  const { draft, changes } = largeEstate(cloud, size);
  const [input, actions] = [inputOf(draft), actionsOf(draft, changes)];
  const from = process.cpuUsage();
  const { opens, cuts, unknown } = effectOf({ actions }, input);
  const { user, system } = process.cpuUsage(from);
  return { seconds: (user + system) / 1e6, told: opens.length + cuts.length + unknown.length };
}

/** The second of three: the first in a process pays for compiling the code, too. */
function medianOf(cloud: Cloud, size: Size): Measured {
  const all = Array.from({ length: 3 }, () => measureEffect(cloud, size)).toSorted((a, b) => a.seconds - b.seconds);
  return all[1] ?? { seconds: Number.NaN, told: 0 };
}

/**
 * Processor time for the effect of a plan on 5,000 instances with 2,000 rules, of which it changes 400: the median of three runs, of the
 * worst of three clouds. Asked: at most 1 s.
 */
export async function effect(): Promise<readonly Figure[]> {
  const measured = clouds.map((cloud) => medianOf(cloud, { instances: 5000, rules: 2000, changes: 400 }));
  if (measured.some(({ told }) => told < 100)) throw new Error(`not what was asked: ${JSON.stringify(measured)}`);
  return [{ name: 'effect', value: Math.max(...measured.map(({ seconds }) => seconds)), unit: 's of CPU' }];
}
