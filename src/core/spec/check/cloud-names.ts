import type { FirewallRuleDoc, InstanceDoc, NetworkDoc, TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { targetsOf, targetsOfRule } from '../placement.ts';
import type { Path } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** Names that we could write and a cloud would refuse, by what the object will be called there. */
export function* cloudNames(set: SpecSet): Iterable<Problem> {
  for (const { document, path, thing, name, provider } of namesIn(set)) {
    const rule = RULES[provider]?.[thing];
    if (!rule || (name.length <= rule.max && rule.pattern.test(name))) continue;
    const expected = `${rule.says}, at most ${rule.max} characters (${rule.source})`;
    yield error('refused-name', document.at(path), `${provider} takes no ${thing} named \`${name}\``, { expected });
  }
}

type Thing = 'network' | 'subnet' | 'group' | 'rule' | 'instance';

interface Rule {
  readonly pattern: RegExp;
  readonly says: string;
  readonly max: number;
  readonly source: string;
}

const RFC1035: Rule = {
  pattern: /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/,
  says: 'lower-case letters, digits and -, beginning with a letter and not ending with -',
  max: 63,
  source: 'https://cloud.google.com/compute/docs/naming-resources',
};

const azure = (max: number, pattern: RegExp, says: string): Rule => ({
  pattern,
  says,
  max,
  source: 'https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules',
});

const RULES: Readonly<Record<Provider, Readonly<Partial<Record<Thing, Rule>>> | undefined>> = {
  aws: {
    group: {
      pattern: /^(?!sg-)/,
      says: 'a network whose name does not begin with sg-',
      max: 255,
      source: 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html',
    },
  },
  // The network is a tag of every rule and instance too. A rule becomes firewalls whose names end in - and eight digits.
  gcp: { network: RFC1035, subnet: RFC1035, group: RFC1035, rule: { ...RFC1035, max: 54 }, instance: RFC1035 },
  // Of the longest names of ours rules (<document>-<hash>), NSGs (<network>-nsg) and parts of machines (<machine>-nic)
  // stay below 80. A machine's name is its host name too.
  azure: {
    network: azure(64, /^.+[A-Za-z0-9_]$/, 'two characters or more, the last one not -'),
    // Those that end the list are for gateways and the like, which stand no NSG of ours:
    // https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview#azure-platform-considerations
    subnet: azure(
      80,
      /^(?!(?:GatewaySubnet|RouteServerSubnet|AzureFirewall(?:Management)?Subnet|AzureBastionSubnet)$).*[A-Za-z0-9_]$/i,
      'a name that does not end with - and is not one that Azure keeps, such as GatewaySubnet',
    ),
    group: azure(80, /[A-Za-z0-9_]$/, 'a name that does not end with -'),
    instance: azure(64, /^[^_]+$/, 'letters, digits and -, no _'),
  },
  memory: undefined,
};

interface Name {
  readonly document: Located<unknown>;
  readonly path: Path;
  readonly thing: Thing;
  /** As the cloud will see it: names of things inside a network begin with the network's. */
  readonly name: string;
  readonly provider: Provider;
}

type Provider = TargetDoc['spec']['provider'];

function* namesIn(set: SpecSet): Iterable<Name> {
  for (const document of set.networks.values()) yield* ofNetwork(set, document);
  for (const document of set.rules) yield* ofRule(set, document);
  for (const document of set.instances) yield* ofInstance(set, document);
}

function* ofNetwork(set: SpecSet, document: Located<NetworkDoc>): Iterable<Name> {
  const { metadata, spec } = document.value;
  const path = ['metadata', 'name'];
  for (const provider of providersOf(targetsOf(set, spec.targets))) {
    yield { document, path, thing: 'network', name: metadata.name, provider };
    yield { document, path, thing: 'group', name: `${metadata.name}-all`, provider };
  }
  for (const [index, { name, target }] of spec.subnets.entries()) {
    const at = ['spec', 'subnets', index, 'name'];
    for (const provider of providersOf(targetsOf(set, target === undefined ? spec.targets : [target]))) {
      // Azure knows subnets by their own name, inside their network.
      const called = provider === 'azure' ? name : `${metadata.name}-${name}`;
      yield { document, path: at, thing: 'subnet', name: called, provider };
    }
  }
}

function* ofRule(set: SpecSet, document: Located<FirewallRuleDoc>): Iterable<Name> {
  const { metadata, spec } = document.value;
  for (const provider of providersOf(targetsOfRule(set, document.value))) {
    const group = (name: string, path: Path): Name => ({
      document,
      path,
      thing: 'group',
      name: `${spec.network}-${name}`,
      provider,
    });
    yield { ...group(metadata.name, ['metadata', 'name']), thing: 'rule' };
    if (spec.group !== undefined) yield group(spec.group, ['spec', 'group']);
    yield* spec.peers.groups.map((name, index) => group(name, ['spec', 'peers', 'groups', index]));
  }
}

function* ofInstance(set: SpecSet, document: Located<InstanceDoc>): Iterable<Name> {
  const { metadata, spec } = document.value;
  const seen = new Set<string>();
  for (const target of targetsOf(set, spec.targets)) {
    const { provider } = target.value.spec;
    const own = Object.hasOwn(spec.on, target.value.metadata.name) ? spec.on[target.value.metadata.name] : undefined;
    const last = Math.max(own?.replicas ?? spec.replicas, 1) - 1;
    const base = own?.groups === undefined ? ['spec'] : ['spec', 'on', target.value.metadata.name];
    const groups = (own?.groups ?? spec.groups ?? []).map((group, index) => ({
      path: [...base, 'groups', index],
      thing: 'group' as const,
      name: `${spec.network}-${group}`,
    }));
    const machine = { path: ['metadata', 'name'], thing: 'instance' as const, name: `${metadata.name}-${last}` };
    for (const one of [machine, ...groups]) {
      const key = JSON.stringify([provider, one.path, one.name]);
      if (!seen.has(key)) yield { document, provider, ...one };
      seen.add(key);
    }
  }
}

const providersOf = (targets: readonly Located<TargetDoc>[]): ReadonlySet<Provider> =>
  new Set(targets.map(({ value }) => value.spec.provider));
