import type { Cloud } from '../../src/core/resource.ts';
import type { EstateDraft, MachineDraft, RuleDraft } from '../../test/core/effect/estate.ts';
import type { Random } from '../world/random.ts';

/** Few names and ports, so that rules and machines meet. */
const groups = ['all', 'web', 'db', 'cache'];
const ports: Readonly<Record<string, readonly string[]>> = {
  tcp: ['all', '22', '80', '20-90', '443,5432', '5432'],
  udp: ['all', '53', '50-60'],
  icmp: ['all', '8/0', '8/all'],
  all: ['all'],
  '47': ['all'],
};
const blocks = [
  '0.0.0.0/0',
  '10.0.0.0/16',
  '10.0.1.0/24',
  '10.0.1.4/30',
  '203.0.113.0/24',
  '203.0.113.7/32',
  '192.168.0.0/16',
];
const further: Readonly<Record<Cloud, readonly string[]>> = {
  aws: ['prefix-list:pl-1'],
  memory: [],
  gcp: ['service-account:app@acme.iam.gserviceaccount.com'],
  azure: ['any', 'service-tag:Internet', 'service-tag:VirtualNetwork', 'service-tag:Storage'],
};

/** A small estate of a cloud, and changes of its rules. */
export interface RandomEstate {
  readonly draft: EstateDraft;
  readonly changes: readonly string[];
}

export function randomEstate(random: Random): RandomEstate {
  const cloud = random.pick(['aws', 'gcp', 'azure'] as const, 'aws');
  const machines = Array.from({ length: 2 + random.whole(4) }, (_, at) => randomMachine(at, random, cloud));
  const lists = cloud === 'azure' ? [undefined, undefined, undefined, 'nic'] : [undefined];
  const rules = Array.from({ length: random.whole(8) }, (_, at): RuleDraft => {
    const holder = random.pick(lists, undefined);
    return { name: `r${at}`, text: randomRule(random, cloud), ...(holder === undefined ? {} : { holder }) };
  });
  const own = rules.filter(({ holder }) => holder === undefined);
  const made = Array.from({ length: random.whole(4) }, (_, at) => `+n${at}: ${randomRule(random, cloud)}`);
  const gone = own.filter(() => random.whole(4) === 0).map(({ name }) => `-${name}`);
  const changed = own
    .filter(({ name }) => !gone.includes(`-${name}`) && random.whole(4) === 0)
    .map(({ name, text }) => (cloud === 'aws' ? `-${name}` : `~${name}: ${otherRule(text, random, cloud)}`));
  return { draft: { cloud, machines, rules }, changes: [...made, ...gone, ...changed] };
}

function randomMachine(at: number, random: Random, cloud: Cloud): MachineDraft {
  const subnet = random.pick(['near', 'near', 'far'], 'near');
  const some = groups.slice(1).filter(() => random.whole(3) === 0);
  const block = subnet === 'near' ? '10.0.1' : '10.0.2';
  return {
    ...{ name: `m-${at}`, subnet, publicIp: random.whole(2) === 0 },
    ...(random.whole(12) === 0 ? { groups: 'unknown' as const } : { groups: ['all', ...some] }),
    ...(random.whole(6) === 0 ? {} : { ip: `${block}.${4 + at}` }),
    ...(cloud === 'gcp' && random.whole(3) === 0 ? { identity: 'app@acme.iam.gserviceaccount.com' } : {}),
    ...(cloud === 'azure' ? { filters: random.whole(4) === 0 ? ['nic'] : [] } : {}),
  };
}

/** In the same direction: nothing updates that in place. */
function otherRule(text: string, random: Random, cloud: Cloud): string {
  const way = text.includes(' from ') ? ' from ' : ' to ';
  for (;;) {
    const other = randomRule(random, cloud);
    if (other.includes(way) && (way === ' from ' || !other.includes(' from '))) return other;
  }
}

function randomRule(random: Random, cloud: Cloud): string {
  const isEgress = random.whole(3) === 0;
  const [way, side] = isEgress ? ['to', 'of'] : ['from', 'to'];
  const rule = `${randomService(random, cloud)} ${way} ${randomPeer(random, cloud, isEgress)} ${side}`;
  if (cloud === 'aws') return `${rule} ${random.pick(groups, 'all')}`;
  const own = random.pick(['everyone', ...groups, '10.0.1.0/24', '10.0.1.4/30'], 'everyone');
  const deny = random.whole(3) === 0 ? 'deny ' : '';
  const priority = random.pick([100, 200, 200, 300, 1000], 100) + (cloud === 'azure' ? random.whole(90) : 0);
  return `${deny}${rule} ${own} @ ${priority}`;
}

function randomService(random: Random, cloud: Cloud): string {
  const protocol = random.pick(Object.keys(ports), 'tcp');
  const hasTypes = cloud === 'aws' || !protocol.startsWith('icmp');
  const service = `${protocol} ${random.pick(hasTypes ? (ports[protocol] ?? []) : ['all'], 'all')}`;
  return cloud === 'aws' ? one(service) : service;
}

function randomPeer(random: Random, cloud: Cloud, isEgress: boolean): string {
  const isNamedOnly = isEgress && cloud === 'gcp';
  if (random.whole(3) === 0 && !isNamedOnly) return random.pick(groups, 'all');
  return random.pick([...blocks, ...(isNamedOnly ? [] : further[cloud])], 'all');
}

/** An atom of AWS has one range. */
const one = (service: string): string => service.replace(/,.*$/, '');
