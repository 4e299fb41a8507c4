import { serviceAccount } from '../../kinds/rules.ts';
import type { FirewallRuleDoc, GroupDoc, InstanceDoc, NetworkDoc, TargetDoc } from '../document.ts';
import type { ResourceDoc } from '../effective-terms.ts';
import { error, type Problem, warning } from '../problem.ts';
import { adoptedOn, groupsIn, type SpecSet, statedName, targetsIn, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';

/** Names that we could write and a cloud would refuse, by what the object will be called there. */
export function* cloudNames(set: SpecSet): Iterable<Problem> {
  for (const { document, path, thing, name, provider } of namesIn(set)) {
    const rule = RULES[provider]?.[thing];
    if (!rule || (name.length <= rule.max && rule.pattern.test(name))) continue;
    const expected = `${rule.says}, at most ${rule.max} characters (${rule.source})`;
    const what = thing === 'service account' ? 'group' : thing.replace('stated ', '');
    yield error('refused-name', document.at(path), `${provider} takes no ${what} named \`${name}\``, { expected });
  }
}

/**
 * A `stated` group or instance, or a `service account`, has the name that its document gives it; any other begins with its network's or
 * document's.
 */
type Thing =
  | 'network'
  | 'subnet'
  | 'group'
  | 'stated group'
  | 'service account'
  | 'rule'
  | 'instance'
  | 'stated instance';

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

const TAG: Rule = { ...RFC1035, source: 'https://cloud.google.com/vpc/docs/add-remove-network-tags#restrictions' };

const ACCOUNT: Rule = {
  pattern: serviceAccount,
  says: 'the address of a service account, such as web@acme-prod.iam.gserviceaccount.com',
  max: 254,
  source: 'https://cloud.google.com/iam/docs/service-account-types',
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
    // Blanks at the end are cut off, and every VPC has a group `default` of its own.
    'stated group': {
      pattern: /^(?!sg-)(?!default$)(?! )[A-Za-z0-9 ._\-:/()#,@[\]+=&;{}!$*]+(?<! )$/i,
      says: 'letters, digits, blanks inside and ._-:/()#,@[]+=&;{}!$*, not beginning with sg-, and not default, which is adopted by its id',
      max: 255,
      source: 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html',
    },
  },
  // The network is a tag of every rule and instance too. A rule becomes firewalls whose names end in - and eight digits.
  gcp: {
    network: RFC1035,
    subnet: RFC1035,
    group: RFC1035,
    'stated group': TAG,
    'service account': ACCOUNT,
    rule: { ...RFC1035, max: 54 },
    instance: RFC1035,
    'stated instance': RFC1035,
  },
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
    'stated group': azure(
      80,
      /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/,
      'letters, digits, _, . and -, beginning with a letter or digit and not ending with . or -',
    ),
    instance: azure(64, /^[^_]+$/, 'letters, digits and -, no _'),
    'stated instance': azure(
      64,
      /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
      'letters, digits, . and -, beginning and ending with a letter or digit',
    ),
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
  for (const document of set.groups.values()) yield* ofGroup(set, document);
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

function* ofGroup(set: SpecSet, document: Located<GroupDoc>): Iterable<Name> {
  const { metadata, spec } = document.value;
  const targets = targetsIn(set, document.value).map(({ value }) => value);
  const own = { network: spec.network, name: metadata.name };
  const isMade = (target: TargetDoc): boolean =>
    adoptedOn(set, own, target) === undefined && spec.names?.[target.metadata.name] === undefined;
  for (const provider of new Set(targets.filter(isMade).map((target) => target.spec.provider))) {
    const name = `${spec.network}-${metadata.name}`;
    yield { document, path: ['metadata', 'name'], thing: 'group', name, provider };
  }
  for (const target of targets) {
    const { provider } = target.spec;
    const name = spec.names?.[target.metadata.name];
    const path = ['spec', 'names', target.metadata.name];
    if (name === undefined) continue;
    const thing = provider === 'gcp' && name.includes('@') ? 'service account' : 'stated group';
    yield { document, path, thing, name, provider };
  }
}

function* ofRule(set: SpecSet, document: Located<FirewallRuleDoc>): Iterable<Name> {
  const { metadata, spec } = document.value;
  const made = targetsIn(set, document.value).filter(
    // why: an adopted rule has its name
    ({ value }) => metadata.adopt?.[value.metadata.name] === undefined,
  );
  for (const provider of providersOf(made)) {
    const group = (name: string, path: Path): Name => ({
      document,
      path,
      thing: 'group',
      name: `${spec.network}-${name}`,
      provider,
    });
    yield { ...group(metadata.name, ['metadata', 'name']), thing: 'rule' };
    const groups = groupsIn(set).filter(
      (use) => use.document === document && !hasOwnName(set, use.network, use.name, provider),
    );
    yield* groups.map(({ name, path }) => group(name, path));
  }
}

/** True where a group has an object, a name or a tag of its own on each target of its network on this cloud. */
function hasOwnName(set: SpecSet, network: string, name: string, provider: Provider): boolean {
  const targets = targetsOf(set, set.networks.get(network)?.value.spec.targets ?? []);
  return targets
    .filter(({ value }) => value.spec.provider === provider)
    .every(({ value }) => {
      const target = value.metadata.name;
      return (adoptedOn(set, { network, name }, value) ?? statedName(set, { network, name, target })) !== undefined;
    });
}

function* ofInstance(set: SpecSet, document: Located<InstanceDoc>): Iterable<Name> {
  const { spec } = document.value;
  const seen = new Set<string>();
  for (const target of targetsOf(set, spec.targets)) {
    const { provider } = target.value.spec;
    const own = Object.hasOwn(spec.on, target.value.metadata.name) ? spec.on[target.value.metadata.name] : undefined;
    const last = Math.max(own?.replicas ?? spec.replicas, 1) - 1;
    const base = own?.groups === undefined ? ['spec'] : ['spec', 'on', target.value.metadata.name];
    const groups = (own?.groups ?? spec.groups ?? []).flatMap((group, index) =>
      hasOwnName(set, spec.network, group, provider)
        ? []
        : [{ path: [...base, 'groups', index], thing: 'group' as const, name: `${spec.network}-${group}` }],
    );
    for (const one of [...namesOfMachines(document.value, target.value, last), ...groups]) {
      const key = JSON.stringify([provider, one.path, one.name]);
      if (!seen.has(key)) yield { document, provider, ...one };
      seen.add(key);
    }
  }
}

/** An adopted machine has its name already. */
function namesOfMachines({ metadata, spec }: InstanceDoc, target: TargetDoc, last: number): readonly NamedMachine[] {
  const here = target.metadata.name;
  const stated = spec.names?.[here];
  if (stated === undefined)
    return [{ path: ['metadata', 'name'], thing: 'instance', name: `${metadata.name}-${last}` }];
  if (metadata.adopt?.[here] !== undefined) return [];
  return [{ path: ['spec', 'names', here], thing: 'stated instance', name: stated }];
}

type NamedMachine = Pick<Name, 'path' | 'thing' | 'name'>;

const providersOf = (targets: readonly Located<TargetDoc>[]): ReadonlySet<Provider> =>
  new Set(targets.map(({ value }) => value.spec.provider));

/** Labels that a cloud would refuse, take for one another, or has no place for. */
export function* labels(set: SpecSet): Iterable<Problem> {
  for (const document of [...set.networks.values(), ...set.groups.values(), ...set.rules, ...set.instances]) {
    const entries = Object.entries(document.value.metadata.labels ?? {});
    if (entries.length === 0) continue;
    const providers = new Set(targetsOfAny(set, document.value).map((target) => target.value.spec.provider));
    const holding = [...providers].filter((provider) => holds(provider, document.value.kind));
    if (holding.length === 0 && providers.size > 0) yield heldNowhere(document);
    for (const provider of holding) {
      yield* tooMany(document, entries.length, provider);
      yield* refused(document, entries, provider);
      if (provider === 'azure') yield* azureLabels(document, entries);
    }
  }
}

/**
 * No rule of any cloud bears labels that we write: on AWS and Azure its group or NSG bears those of the network. On GCP
 * only machines do (https://cloud.google.com/compute/docs/labeling-resources): networks, subnets and groups have none.
 */
const holds = (provider: Provider, kind: ResourceDoc['kind']): boolean =>
  kind === 'Instance' || ((kind === 'Network' || kind === 'Group') && provider !== 'gcp');

function heldNowhere(document: Located<ResourceDoc>): Problem {
  const { kind } = document.value;
  const what = kind === 'FirewallRule' ? 'rules' : `${kind.toLowerCase()}s on GCP`;
  const message = `${what} have no labels: these have no effect`;
  return warning('not-here', document.at(['metadata', 'labels']), message, {
    expected: 'no labels',
  });
}

type Entries = readonly (readonly [key: string, value: string])[];

const targetsOfAny = (set: SpecSet, document: ResourceDoc): readonly Located<TargetDoc>[] =>
  document.kind === 'FirewallRule' || document.kind === 'Group'
    ? targetsIn(set, document)
    : targetsOf(set, document.spec.targets);

interface LabelRule {
  readonly key: RegExp;
  readonly value: RegExp;
  /** The number that the cloud takes, less our own marks: ten, and on AWS the name. */
  readonly most: number;
  readonly says: string;
}

const LABEL_RULES: Readonly<Record<Exclude<Provider, 'memory'>, LabelRule>> = {
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
  aws: { key: /^(?!aws:)/i, value: /^/, most: 39, says: 'no key that begins with aws:, 39 labels' },
  // https://cloud.google.com/compute/docs/labeling-resources: letters of other scripts too, 64 labels
  gcp: {
    key: /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u,
    value: /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u,
    most: 54,
    says: 'lower-case letters, digits, _ and -, at most 63 characters, the key beginning with a letter',
  },
  // https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
  azure: { key: /^[^<>%&\\?/]+$/, value: /^/, most: 40, says: 'keys without < > % & \\ ? /, 40 labels' },
};

function* refused(document: Located<ResourceDoc>, entries: Entries, provider: Provider): Iterable<Problem> {
  if (provider === 'memory') return;
  const { key, value, says } = LABEL_RULES[provider];
  for (const [name, text] of entries) {
    if (key.test(name) && value.test(text)) continue;
    const message = `${provider} takes no label ${JSON.stringify(name)} with this value`;
    yield error('refused-label', document.at(['metadata', 'labels', name]), message, { expected: says });
  }
}

function* tooMany(document: Located<ResourceDoc>, count: number, provider: Provider): Iterable<Problem> {
  if (provider === 'memory' || count <= LABEL_RULES[provider].most) return;
  const hint = { expected: `at most ${LABEL_RULES[provider].most}: the rest is for the marks of Setpoint` };
  yield error(
    'refused-label',
    document.at(['metadata', 'labels']),
    `${count} labels are too many for ${provider}`,
    hint,
  );
}

/**
 * Azure takes keys in any case for one, and keeps some for itself. The latter is documented of predefined tags only, so it
 * is a warning: https://learn.microsoft.com/rest/api/resources/tags/create-or-update
 */
function* azureLabels(document: Located<ResourceDoc>, entries: Entries): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(entries, ([name]) => name.toLowerCase()).values()) {
    for (const [name] of others) {
      const message = `to azure the labels ${first?.[0]} and ${name} are one`;
      yield error('refused-label', document.at(['metadata', 'labels', name]), message, { expected: 'one of the two' });
    }
  }
  for (const [name] of entries.filter(([key]) => /^(?:microsoft|azure|windows)/i.test(key))) {
    const message = `azure may refuse the label ${name}: it reserves names that begin so`;
    const expected = 'a key that begins neither microsoft, azure nor windows';
    yield warning('refused-label', document.at(['metadata', 'labels', name]), message, { expected });
  }
}
