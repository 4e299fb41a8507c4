import type { TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { targetsOf, targetsOfRule } from '../placement.ts';
import type { Path } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** Names that we could write and a cloud would refuse, by what the object will be called there. */
export function* cloudNames(set: SpecSet): Iterable<Problem> {
  for (const { document, path, thing, name, targets } of namesIn(set)) {
    for (const provider of new Set(targets.map((target) => target.value.spec.provider))) {
      const rule = RULES[provider]?.[thing];
      if (!rule || (name.length <= rule.max && rule.pattern.test(name))) continue;
      const expected = `${rule.says}, at most ${rule.max} characters (${rule.source})`;
      yield error('refused-name', document.at(path), `${provider} takes no ${thing} named \`${name}\``, { expected });
    }
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

const RULES: Readonly<Record<TargetDoc['spec']['provider'], Readonly<Partial<Record<Thing, Rule>>> | undefined>> = {
  aws: {
    group: {
      pattern: /^(?!sg-)/,
      says: 'a network whose name does not begin with sg-',
      max: 255,
      source: 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html',
    },
  },
  // A rule becomes firewalls whose names end in - and eight digits of a hash.
  gcp: { network: RFC1035, subnet: RFC1035, group: RFC1035, rule: { ...RFC1035, max: 54 }, instance: RFC1035 },
  azure: {
    network: azure(64, /^.+[A-Za-z0-9_]$/, 'two characters or more, the last one not -'),
    subnet: azure(80, /[A-Za-z0-9_]$/, 'a name that does not end with -'),
    group: azure(80, /[A-Za-z0-9_]$/, 'a name that does not end with -'),
    rule: azure(80, /[A-Za-z0-9_]$/, 'a name that does not end with -'),
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
  readonly targets: readonly Located<TargetDoc>[];
}

function* namesIn(set: SpecSet): Iterable<Name> {
  for (const document of set.networks.values()) {
    const { metadata, spec } = document.value;
    const targets = targetsOf(set, spec.targets);
    const path = ['metadata', 'name'];
    yield { document, path, thing: 'network', name: metadata.name, targets };
    yield { document, path, thing: 'group', name: `${metadata.name}-all`, targets };
    for (const [index, { name, target }] of spec.subnets.entries()) {
      yield {
        document,
        path: ['spec', 'subnets', index, 'name'],
        thing: 'subnet',
        name: `${metadata.name}-${name}`,
        targets: target === undefined ? targets : targetsOf(set, [target]),
      };
    }
  }
  for (const document of set.rules) {
    const { metadata, spec } = document.value;
    const targets = targetsOfRule(set, document.value);
    yield { document, path: ['metadata', 'name'], thing: 'rule', name: `${spec.network}-${metadata.name}`, targets };
    if (spec.group !== undefined) {
      yield { document, path: ['spec', 'group'], thing: 'group', name: `${spec.network}-${spec.group}`, targets };
    }
  }
  for (const document of set.instances) {
    const { metadata, spec } = document.value;
    const targets = targetsOf(set, spec.targets);
    const last = Math.max(spec.replicas, ...Object.values(spec.on).map((own) => own.replicas ?? 0), 1) - 1;
    yield { document, path: ['metadata', 'name'], thing: 'instance', name: `${metadata.name}-${last}`, targets };
    for (const [index, group] of (spec.groups ?? []).entries()) {
      yield { document, path: ['spec', 'groups', index], thing: 'group', name: `${spec.network}-${group}`, targets };
    }
  }
}
