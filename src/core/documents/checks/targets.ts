import { strictest } from '../../desired.ts';
import type { Document, FirewallRuleDoc, InstanceDoc, NetworkDoc, TargetDoc } from '../document.ts';
import { error, type Problem, warning } from '../problem.ts';
import { ofKind, placeOf, type SpecSet, scopeOf, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

/** Each provider's rules for a target. */
export function* targetFields({ targets }: SpecSet): Iterable<Problem> {
  for (const target of targets.values()) {
    yield* forms(target);
    yield* unusedZone(target);
    yield* credentials(target);
  }
}

type Provider = TargetDoc['spec']['provider'];
type Field = 'account' | 'region' | 'zone' | 'resourceGroup';

interface Form {
  readonly pattern: RegExp;
  readonly expected: string;
  readonly required?: boolean;
}

const ANY = { pattern: /^/, expected: '' };

/** A field without a form here has no meaning for the provider and is refused. */
const FORMS: Readonly<Record<Provider, Readonly<Partial<Record<Field, Form>>>>> = {
  aws: {
    account: { pattern: /^\d{12}$/, expected: 'an AWS account: 12 digits, in quotes' },
    region: { pattern: /^[a-z]{2,4}(?:-[a-z]+){1,3}-\d{1,2}$/, expected: 'an AWS region, such as eu-west-1' },
    zone: { pattern: /^[a-z]{2,4}(?:-[a-z0-9]+)+-\d{1,2}[a-z]$/, expected: 'an AWS zone, such as eu-west-1a' },
  },
  gcp: {
    // https://cloud.google.com/resource-manager/docs/creating-managing-projects
    account: {
      pattern: /^(?:[a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
      expected: 'a GCP project id: 6 to 30 lower-case letters, digits and -',
    },
    region: { pattern: /^[a-z]+-[a-z]+\d{1,2}$/, expected: 'a GCP region, such as europe-west1' },
    zone: { pattern: /^[a-z]+-[a-z]+\d{1,2}-[a-z]$/, expected: 'a GCP zone, such as europe-west1-b' },
  },
  azure: {
    account: { pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, expected: 'an Azure subscription id (UUID)' },
    // In any case: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules
    region: { pattern: /^[a-z][a-z0-9]+$/i, expected: 'an Azure location by its short name, such as westeurope' },
    zone: { pattern: /^[1-3]$/, expected: 'an Azure zone: "1", "2" or "3"' },
    resourceGroup: {
      pattern: /^/,
      expected: 'the resource group that everything of this target is in',
      required: true,
    },
  },
  memory: { account: ANY, region: ANY, zone: ANY },
};

function* forms(target: Located<TargetDoc>): Iterable<Problem> {
  const { provider } = target.value.spec;
  for (const field of ['account', 'region', 'zone', 'resourceGroup'] as const) {
    const form = FORMS[provider][field];
    const given = target.value.spec[field];
    const at = target.at(['spec', field]);
    if (!form && given !== undefined) {
      const expected = `no ${field} on a target of ${provider}`;
      yield error('not-here', at, `\`spec.${field}\` has no effect on ${provider}`, { expected });
    }
    if (form?.required && given === undefined) {
      yield error('missing-field', at, `\`spec.${field}\` is missing: ${provider} needs it`, {
        expected: form.expected,
      });
    }
    if (form && given !== undefined && !form.pattern.test(given)) {
      yield error('bad-value', at, `\`spec.${field}\` is ${JSON.stringify(given)}`, { expected: form.expected });
    }
  }
  const { region, zone } = target.value.spec;
  const after = provider === 'gcp' ? `${region}-` : region;
  const apart = zone !== undefined && (provider === 'aws' || provider === 'gcp') && !zone.startsWith(after);
  if (!apart) return;
  const expected = `a zone of it, such as ${after}${provider === 'gcp' ? 'b' : 'a'}`;
  yield error('bad-value', target.at(['spec', 'zone']), `the zone \`${zone}\` is not in ${region}`, { expected });
}

/** A GCP target's machines stand in its zone; elsewhere a zone is the subnet's, or the cloud's own choice. */
function* unusedZone(target: Located<TargetDoc>): Iterable<Problem> {
  const { provider, zone } = target.value.spec;
  if (zone === undefined || provider === 'gcp' || provider === 'memory') return;
  const expected = provider === 'aws' ? 'zone in the subnets of a network' : 'no zone';
  const message = `the zone of a target has no effect on ${provider}`;
  yield warning('not-here', target.at(['spec', 'zone']), message, { expected });
}

/** A role of another account would only be found out at the first call. */
function* credentials(target: Located<TargetDoc>): Iterable<Problem> {
  const { provider, account, credentials } = target.value.spec;
  if (provider === 'memory') {
    if (credentials === undefined) return;
    return yield error('not-here', target.at(['spec', 'credentials']), '`spec.credentials` has no effect on memory');
  }
  const role = credentials?.assumeRole;
  if (role === undefined) return;
  const at = target.at(['spec', 'credentials', 'assumeRole']);
  if (provider !== 'aws') {
    const expected = "env, file or uri of a secret, or none: the SDK's own default chain";
    yield error('not-here', at, `roles are assumed on aws, not on ${provider}`, { expected });
  } else if (role.split(':')[4] !== account) {
    const expected = `a role of account ${account}`;
    yield error('wrong-account', at, 'this role is of another account than the target', { expected });
  }
}

/**
 * Two targets may lie in one scope, but then they are seen with the same eyes (credentials, endpoint), roll out alike, and
 * nothing may stand twice under one address: a network reaches a place once, GCP projects excepted, where all its targets
 * share it.
 */
export function* oneScope(set: SpecSet): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(set.targets.values(), ({ value }) => scopeOf(value)).values()) {
    if (first) yield* differences(first, others);
  }
  for (const document of [...set.networks.values(), ...set.instances]) yield* twice(set, document);
  for (const network of set.networks.values()) yield* modes(set, network);
  for (const rule of set.rules) yield* half(set, rule);
}

/** One network cannot be governed by two modes. */
function* modes(set: SpecSet, network: Located<NetworkDoc>): Iterable<Problem> {
  const estate = ofKind(set.documents, 'Estate')[0]?.value.spec.mode;
  const modeOf = ({ value }: Located<TargetDoc>) => strictest([value.spec.mode, estate]);
  for (const [project, [first, ...others]] of sharing(set, network.value)) {
    for (const other of others) {
      if (!first || modeOf(other) === modeOf(first)) continue;
      const [name, one] = [network.value.metadata.name, first.value.metadata.name];
      const message = `${name} is one network in all of ${project}, and ${one} (${place(first.at())}) has mode ${modeOf(first)}, not ${modeOf(other)}`;
      yield error('scope-conflict', other.at(['spec', 'mode']), message, { expected: 'the same mode in both' });
    }
  }
}

/** A GCP network holds its rules for all of its regions: one that names only some of its targets would hold for the others too. */
function* half(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { targets, network } = rule.value.spec;
  const document = network === undefined ? undefined : set.networks.get(network);
  if (targets === undefined || !document) return;
  for (const [project, all] of sharing(set, document.value)) {
    const missing = all.map(({ value }) => value.metadata.name).filter((name) => !targets.includes(name));
    if (missing.length === 0 || missing.length === all.length) continue;
    const message = `${network} is one network in all of ${project}: this rule would also apply on ${missing.join(', ')}`;
    const expected = `${missing.join(', ')} too, or a group of only these machines`;
    yield error('shared-network', rule.at(['spec', 'targets']), message, { expected });
  }
}

/** https://cloud.google.com/vpc/docs/vpc: networks and their firewall rules are global in their project. */
const sharing = (set: SpecSet, { spec }: NetworkDoc): ReadonlyMap<string, Located<TargetDoc>[]> =>
  Map.groupBy(
    targetsOf(set, spec.targets).filter(({ value }) => value.spec.provider === 'gcp'),
    ({ value }) => scopeOf(value),
  );

function* twice(set: SpecSet, document: Located<NetworkDoc | InstanceDoc>): Iterable<Problem> {
  const { kind, metadata, spec } = document.value;
  const seen = new Map<string, string>();
  for (const [index, name] of spec.targets.entries()) {
    const target = set.targets.get(name)?.value;
    const address = target && addressPlace(target, kind);
    if (address === undefined) continue;
    const first = seen.get(address) ?? name;
    seen.set(address, first);
    if (first === name) continue;
    const message = `${metadata.name} would exist twice in ${address}: ${first} and ${name} are the same place`;
    yield error('duplicate-address', document.at(['spec', 'targets', index]), message, { expected: 'one of the two' });
  }
}

/** The place that must differ between two targets of a document; undefined: they may share it. */
function addressPlace(target: TargetDoc, kind: 'Network' | 'Instance'): string | undefined {
  if (target.spec.provider !== 'gcp') return placeOf(target);
  return kind === 'Network' ? undefined : `${scopeOf(target)}/${target.spec.zone ?? target.spec.region}`;
}

function* differences(first: Located<TargetDoc>, others: readonly Located<TargetDoc>[]): Iterable<Problem> {
  for (const other of others) {
    for (const field of ['credentials', 'endpoint', 'rollout'] as const) {
      if (JSON.stringify(other.value.spec[field]) === JSON.stringify(first.value.spec[field])) continue;
      const message = `targets of one scope (${scopeOf(first.value)}) with different ${field}: the other is at ${place(first.at())}`;
      yield error('scope-conflict', other.at(['spec', field]), message, { expected: `the same ${field} in both` });
    }
  }
}

type Written = NonNullable<TargetDoc['spec']['rollout']>;
type Wave = NonNullable<Written['then']>[number];

/** Waves get no smaller, come to no more than all, and nothing comes after the rest. */
export function* rollouts({ documents }: SpecSet): Iterable<Problem> {
  for (const kind of ['Target', 'Network', 'FirewallRule', 'Instance'] as const)
    for (const document of ofKind(documents, kind))
      yield* wavesOf(document, ['spec', 'rollout'], document.value.spec.rollout);
  for (const document of ofKind(documents, 'Instance'))
    for (const [target, { rollout }] of Object.entries(document.value.spec.on))
      yield* wavesOf(document, ['spec', 'on', target, 'rollout'], rollout);
}

function* wavesOf(document: Located<Document>, path: Path, rollout: Written | undefined): Iterable<Problem> {
  const waves = rollout?.then ?? [];
  for (const [index, wave] of waves.entries()) {
    const before = [...(rollout?.canary === undefined ? [] : [rollout.canary]), ...waves.slice(0, index)];
    const found = complaint(wave, before);
    if (found === undefined) continue;
    const { message, expected } = found;
    return yield error('bad-rollout', document.at([...path, 'then', index]), message, { expected });
  }
}

function complaint(
  wave: Wave,
  before: readonly Wave[],
): { readonly message: string; readonly expected: string } | undefined {
  if (before.includes('rest'))
    return { message: 'nothing is left for a wave after `rest`', expected: '`rest` at the end' };
  // why: a count and a share compare only once it is known how many there are
  const last = before.findLast((other) => typeof other === typeof wave && other !== 'rest');
  if (last !== undefined && sizeOf(wave) < sizeOf(last))
    return {
      message: `a wave of ${show(wave)} after one of ${show(last)}: waves do not get smaller`,
      expected: `at least ${show(last)}`,
    };
  const shares = [...before, wave].filter((one) => typeof one === 'object').reduce((sum, one) => sum + sizeOf(one), 0);
  if (typeof wave === 'object' && shares > 1 + rounding)
    return { message: `the waves come to ${show({ share: shares })} here`, expected: 'at most 100% together' };
  return undefined;
}

const rounding = 1e-9;

const sizeOf = (wave: Wave): number => (typeof wave === 'object' ? wave.share : Number(wave));

const show = (wave: Wave): string =>
  typeof wave === 'object' ? `${Number((wave.share * 100).toFixed(3))}%` : String(wave);
