import type { TargetDoc } from '../document.ts';
import type { ResourceDoc } from '../effective-mode.ts';
import type { Located } from '../located.ts';
import { targetsOf, targetsOfRule } from '../placement.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** Labels that a cloud would refuse, or take for one another. */
export function* labels(set: SpecSet): Iterable<Problem> {
  for (const document of [...set.networks.values(), ...set.rules, ...set.instances]) {
    const entries = Object.entries(document.value.metadata.labels ?? {});
    if (entries.length === 0) continue;
    for (const provider of new Set(targetsOfAny(set, document.value).map((target) => target.value.spec.provider))) {
      yield* tooMany(document, entries.length, provider);
      yield* refused(document, entries, provider);
      if (provider === 'azure') yield* alike(document, entries);
    }
  }
}

type Provider = TargetDoc['spec']['provider'];
type Entries = readonly (readonly [key: string, value: string])[];

const targetsOfAny = (set: SpecSet, document: ResourceDoc): readonly Located<TargetDoc>[] =>
  document.kind === 'FirewallRule' ? targetsOfRule(set, document) : targetsOf(set, document.spec.targets);

interface Rule {
  readonly key: RegExp;
  readonly value: RegExp;
  /** What the cloud takes, less ten for our own marks. */
  readonly most: number;
  readonly says: string;
}

const RULES: Readonly<Record<Exclude<Provider, 'memory'>, Rule>> = {
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
  aws: { key: /^(?!aws:)/i, value: /^/, most: 40, says: 'no key that begins with aws:, 40 labels' },
  // https://cloud.google.com/compute/docs/labeling-resources
  gcp: {
    key: /^[a-z][a-z0-9_-]{0,62}$/,
    value: /^[a-z0-9_-]{0,63}$/,
    most: 54,
    says: 'lower-case letters, digits, _ and -, at most 63 characters, the key beginning with a letter',
  },
  // https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations
  azure: { key: /^[^<>%&\\?/]+$/, value: /^/, most: 40, says: 'keys without < > % & \\ ? /, 40 labels' },
};

function* refused(document: Located<ResourceDoc>, entries: Entries, provider: Provider): Iterable<Problem> {
  if (provider === 'memory') return;
  const { key, value, says } = RULES[provider];
  for (const [name, text] of entries) {
    if (key.test(name) && value.test(text)) continue;
    const message = `${provider} takes no label ${JSON.stringify(name)} with this value`;
    yield error('refused-label', document.at(['metadata', 'labels', name]), message, { expected: says });
  }
}

function* tooMany(document: Located<ResourceDoc>, count: number, provider: Provider): Iterable<Problem> {
  if (provider === 'memory' || count <= RULES[provider].most) return;
  const hint = { expected: `at most ${RULES[provider].most}: the rest is for our own marks` };
  yield error(
    'refused-label',
    document.at(['metadata', 'labels']),
    `${count} labels are too many for ${provider}`,
    hint,
  );
}

/** Azure takes keys in any case for one. */
function* alike(document: Located<ResourceDoc>, entries: Entries): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(entries, ([name]) => name.toLowerCase()).values()) {
    for (const [name] of others) {
      const message = `to azure the labels ${first?.[0]} and ${name} are one`;
      yield error('refused-label', document.at(['metadata', 'labels', name]), message, { expected: 'one of the two' });
    }
  }
}
