import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { SandboxOptions } from '../../../sandbox/index.ts';
import { diff, type FieldChange } from '../../../src/core/diff.ts';
import type { Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId, Kind, RuleAttributes, RuleMatch } from '../../../src/core/resource.ts';
import type { Creation, Revision, Session } from '../../../src/ports/provider.ts';
import { type AzureStage, account, openAzureStage, prefix, resourceGroup } from '../../support/azure-session.ts';
import { everyPage } from '../../support/every-page.ts';
import { creationOf, desiredOf, type RecordedCall, recordedCall } from '../../support/fixtures.ts';

/** A small estate in a sandbox, made through the provider itself. */
export interface Estate {
  readonly stage: AzureStage;
  readonly session: Session;
  readonly network: Observed<'network'>;
  readonly group: Observed<'group'>;
}

export async function makeEstate(options: SandboxOptions = {}): Promise<Estate> {
  const stage = await openAzureStage(options);
  const session = await stage.open();
  const network = await createOne(session, networkOf('core'));
  const group = await createOne(session, groupOf('core.web', network.id));
  stage.sandbox.control.log.clear();
  return { stage, session, network, group };
}

/** Makes estates as they are asked for; called at the top of a file, it closes them when the file's tests have ended. */
export function estates(): () => Promise<Estate> {
  const open: Estate[] = [];
  after(async () => {
    for (const { stage } of open) await stage.close();
  });
  return async () => {
    const one = await makeEstate();
    open.push(one);
    return one;
  };
}

export async function createOne<K extends Kind>(session: Session, creation: Creation<K>): Promise<Observed<K>> {
  const actuator = session.actuators[creation.desired.kind];
  const [result] = await actuator.create([creation], recordedCall());
  return must(result);
}

export function must<T>(result: Result<T> | undefined): T {
  assert.ok(result?.ok, JSON.stringify(result));
  return result.value;
}

export const listOf = <K extends Kind>(
  session: Session,
  kind: K,
  call: RecordedCall = recordedCall(),
): Promise<readonly Observed<K>[]> => everyPage(session.actuators[kind], call);

/** Answers read as text: `ok`, or the kind of failure and its code. */
export const codes = (results: readonly Result<unknown>[]): readonly string[] =>
  results.map((result) => (result.ok ? 'ok' : `${result.failure.kind} ${result.failure.code}`));

const creationFor = <K extends Kind>(kind: K, name: string, attributes: Attributes[K]): Creation<K> => {
  const inside = kind === 'subnet' || kind === 'firewall-rule';
  const own = inside ? name.slice(name.indexOf('.') + 1) : name.replaceAll('.', '-');
  return creationOf(
    desiredOf(kind, { address: `${prefix}/${kind}/${name}`, name: own, attributes }),
    `intent-${kind}-${name}`,
  );
};

export const networkOf = (name: string, over: Partial<Attributes['network']> = {}): Creation<'network'> =>
  creationFor('network', name, { cidr: '10.20.0.0/16', filter: true, labels: {}, ...over });

export const subnetOf = (
  name: string,
  network: CloudId,
  over: Partial<Attributes['subnet']> = {},
): Creation<'subnet'> =>
  creationFor('subnet', name, { network, cidr: '10.20.1.0/24', filter: true, labels: {}, ...over });

export const groupOf = (name: string, network: CloudId, over: Partial<Attributes['group']> = {}): Creation<'group'> =>
  creationFor('group', name, { network, labels: {}, ...over });

/** `name`: `web-1a2b3c4d`. */
export function ruleOf(
  { network, group }: Pick<Estate, 'network' | 'group'>,
  name: string,
  over: Partial<RuleMatch> & { readonly priority?: number; readonly description?: string } = {},
): Creation<'firewall-rule'> {
  const { priority = 100, description = '', ...match } = over;
  const attributes: RuleAttributes = {
    network: network.id,
    match: {
      direction: 'ingress',
      action: 'allow',
      protocol: 'tcp',
      ports: '443',
      peers: ['10.0.0.0/8'],
      targets: [group.id],
      ...match,
    },
    description,
    order: { priority },
  };
  return creationFor('firewall-rule', `core.${name}`, attributes);
}

/** The revision that brings `observed` to `attributes`. */
export function revisionTo<K extends Kind>(
  { desired }: Creation<K>,
  observed: Observed<K>,
  over: Partial<Attributes[K]>,
): Revision<K> {
  const attributes = { ...observed.attributes, ...over };
  const changes: readonly FieldChange[] = diff(attributes, observed.attributes);
  return { desired: { ...desired, attributes }, observed, changes };
}

/** The resource of this name in the listing. */
export async function seen<K extends Kind>(session: Session, kind: K, name: string): Promise<Observed<K>> {
  const found = (await listOf(session, kind)).find((one) => one.name === name);
  assert.ok(found, `${kind} ${name} is not listed`);
  return found;
}

export const inGroup = (path: string): string =>
  `/subscriptions/${account}/resourceGroups/${resourceGroup}/providers/Microsoft.Network/${path}`;

/** A colleague with a tool of his own, who waits until his change is done. Returns the body. */
export async function byHand({ sandbox }: AzureStage, method: string, path: string, body?: unknown): Promise<Raw> {
  const version = path.includes('/providers/') ? '2026-01-01' : '2025-04-01';
  const response = await fetch(`${sandbox.url}${path}?api-version=${version}`, {
    method,
    headers: { authorization: 'Bearer colleague', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok || response.status === 404, `${method} ${path}: ${response.status} ${text}`);
  if (method !== 'GET') sandbox.control.clock.advance(600_000);
  return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
}

export interface Raw {
  readonly status: number;
  readonly etag?: string;
  readonly location?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: {
    readonly subnets?: readonly RawChild[];
    readonly securityRules?: readonly RawChild[];
    readonly [field: string]: unknown;
  };
}

export interface RawChild {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}
