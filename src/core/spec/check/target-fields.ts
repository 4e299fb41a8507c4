import type { TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** What each provider wants of a target. */
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
      yield error('not-here', at, `\`spec.${field}\` means nothing on ${provider}`, { expected });
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
  const message = `nothing on ${provider} is placed by the zone of its target`;
  yield warning('not-here', target.at(['spec', 'zone']), message, { expected });
}

/** A role of another account would only be found out at the first call. */
function* credentials(target: Located<TargetDoc>): Iterable<Problem> {
  const { provider, account, credentials } = target.value.spec;
  if (provider === 'memory') {
    if (credentials === undefined) return;
    return yield error('not-here', target.at(['spec', 'credentials']), '`spec.credentials` means nothing on memory');
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
