import { type Cidr, overlapsCidr, parseCidr } from '../../cidr.ts';
import type { NetworkDoc, TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { targetsOf } from '../placement.ts';
import type { Path } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** Blocks are such as each cloud takes: of a size it knows, and of addresses that it does not keep for itself. */
export function* cloudBlocks(set: SpecSet): Iterable<Problem> {
  for (const network of set.networks.values()) {
    const targets = targetsOf(set, network.value.spec.targets).map(({ value }) => value);
    for (const [provider, here] of Map.groupBy(targets, ({ spec }) => spec.provider)) {
      if (provider === 'memory') continue;
      for (const block of blocksOn(network.value, new Set(here.map(({ metadata }) => metadata.name)))) {
        const problem = wrongSize(network, block, provider) ?? reserved(network, block, provider);
        if (problem) yield problem;
      }
    }
  }
}

interface Block {
  readonly of: 'network' | 'subnet';
  readonly text: string;
  readonly cidr: Cidr;
  readonly path: Path;
}

function blocksOn({ spec }: NetworkDoc, targets: ReadonlySet<string>): readonly Block[] {
  const texts = [
    { of: 'network' as const, text: spec.cidr, path: ['spec', 'cidr'] },
    ...spec.subnets.flatMap(({ cidr, target }, index) =>
      target === undefined || targets.has(target)
        ? [{ of: 'subnet' as const, text: cidr, path: ['spec', 'subnets', index, 'cidr'] }]
        : [],
    ),
  ];
  return texts.flatMap((one) => {
    const cidr = parseCidr(one.text);
    return cidr ? [{ ...one, cidr }] : [];
  });
}

type Provider = Exclude<TargetDoc['spec']['provider'], 'memory'>;
type Range = readonly [largest: number, smallest: number];

interface Limits {
  /** Prefix lengths from the largest block to the smallest. A GCP network has no addresses of its own. */
  readonly network?: Range;
  readonly subnet: Range;
  readonly link: string;
  readonly kept?: readonly string[];
}

const LIMITS: Readonly<Record<Provider, Limits>> = {
  aws: {
    network: [16, 28],
    subnet: [16, 28],
    link: 'https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html',
  },
  // "Prohibited IPv4 subnet ranges"
  gcp: {
    subnet: [4, 29],
    link: 'https://cloud.google.com/vpc/docs/subnets#ipv4-ranges',
    kept: [
      '0.0.0.0/8',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '199.36.153.4/30',
      '199.36.153.8/30',
      '224.0.0.0/4',
      '255.255.255.255/32',
    ],
  },
  // "What address ranges can I use", "How small and how large can virtual networks and subnets be"
  azure: {
    network: [2, 29],
    subnet: [2, 29],
    link: 'https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq',
    kept: ['127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32'],
  },
};

function wrongSize(network: Located<NetworkDoc>, block: Block, provider: Provider): Problem | undefined {
  const { cidr, path, of } = block;
  const { [of]: range, link } = LIMITS[provider];
  const hint = { expected: range ? `IPv4, /${range[0]} to /${range[1]} (${link})` : 'IPv4' };
  if (cidr.family === 6) return error('bad-size', network.at(path), `${provider} networks begin with IPv4`, hint);
  const fits = range === undefined || (cidr.prefix >= range[0] && cidr.prefix <= range[1]);
  return fits ? undefined : error('bad-size', network.at(path), `${provider} takes no /${cidr.prefix} here`, hint);
}

function reserved(network: Located<NetworkDoc>, block: Block, provider: Provider): Problem | undefined {
  const { kept = [], link, network: held } = LIMITS[provider];
  // A network that has addresses bounds its subnets.
  if ((block.of === 'network') !== (held !== undefined)) return undefined;
  const hit = kept.find((text) => {
    const cidr = parseCidr(text);
    return cidr !== undefined && overlapsCidr(cidr, block.cidr);
  });
  if (hit === undefined) return undefined;
  const message = `${provider} keeps ${hit} for itself, and ${block.text} reaches into it`;
  return error('reserved-range', network.at(block.path), message, { expected: `other addresses (${link})` });
}
