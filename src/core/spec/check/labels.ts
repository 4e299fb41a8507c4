import type { TargetDoc } from '../document.ts';
import type { ResourceDoc } from '../effective-mode.ts';
import type { Located } from '../located.ts';
import { targetsOf, targetsOfRule } from '../placement.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** Labels that a cloud would refuse, take for one another, or has no place for. */
export function* labels(set: SpecSet): Iterable<Problem> {
  for (const document of [...set.networks.values(), ...set.rules, ...set.instances]) {
    const entries = Object.entries(document.value.metadata.labels ?? {});
    if (entries.length === 0) continue;
    const providers = new Set(targetsOfAny(set, document.value).map((target) => target.value.spec.provider));
    const holding = [...providers].filter((provider) => holds(provider, document.value.kind));
    if (holding.length === 0 && providers.size > 0) yield heldNowhere(document);
    for (const provider of holding) {
      yield* tooMany(document, entries.length, provider);
      yield* refused(document, entries, provider);
      if (provider === 'azure') yield* azure(document, entries);
    }
  }
}

/**
 * No rule of any cloud bears labels that we write: on AWS and Azure its group or NSG bears those of the network. On GCP
 * only machines do (https://cloud.google.com/compute/docs/labeling-resources): networks and subnets have none.
 */
const holds = (provider: Provider, kind: ResourceDoc['kind']): boolean =>
  kind === 'Instance' || (kind === 'Network' && provider !== 'gcp');

function heldNowhere(document: Located<ResourceDoc>): Problem {
  const what = document.value.kind === 'Network' ? 'networks on GCP' : 'rules';
  const message = `${what} bear no labels: these stand nowhere`;
  return warning('not-here', document.at(['metadata', 'labels']), message, {
    expected: 'no labels',
  });
}

type Provider = TargetDoc['spec']['provider'];
type Entries = readonly (readonly [key: string, value: string])[];

const targetsOfAny = (set: SpecSet, document: ResourceDoc): readonly Located<TargetDoc>[] =>
  document.kind === 'FirewallRule' ? targetsOfRule(set, document) : targetsOf(set, document.spec.targets);

interface Rule {
  readonly key: RegExp;
  readonly value: RegExp;
  /** What the cloud takes, less our own marks: ten, and on AWS the name. */
  readonly most: number;
  readonly says: string;
}

const RULES: Readonly<Record<Exclude<Provider, 'memory'>, Rule>> = {
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

/**
 * Azure takes keys in any case for one, and keeps some for itself. The latter is documented of predefined tags only, so it
 * is a warning: https://learn.microsoft.com/rest/api/resources/tags/create-or-update
 */
function* azure(document: Located<ResourceDoc>, entries: Entries): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(entries, ([name]) => name.toLowerCase()).values()) {
    for (const [name] of others) {
      const message = `to azure the labels ${first?.[0]} and ${name} are one`;
      yield error('refused-label', document.at(['metadata', 'labels', name]), message, { expected: 'one of the two' });
    }
  }
  for (const [name] of entries.filter(([key]) => /^(?:microsoft|azure|windows)/i.test(key))) {
    const message = `azure may refuse the label ${name}: it keeps names that begin so for itself`;
    const expected = 'a key that begins neither microsoft, azure nor windows';
    yield warning('refused-label', document.at(['metadata', 'labels', name]), message, { expected });
  }
}
