import assert from 'node:assert/strict';
import type { SandboxOptions } from '../../../sandbox/index.ts';
import type { FieldChange } from '../../../src/core/diff.ts';
import type { Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId, Kind, RuleMatch } from '../../../src/core/resource.ts';
import type { Creation, Revision, Session } from '../../../src/ports/provider.ts';
import { everyPage } from '../../support/every-page.ts';
import { creationOf, desiredOf, type RecordedCall, recordedCall } from '../../support/fixtures.ts';
import { type GcpStage, openGcpStage, project, region, scope, zone } from '../../support/gcp-session.ts';

/** A small estate in a sandbox, made through the provider itself. */
export interface Estate {
  readonly stage: GcpStage;
  readonly session: Session;
  readonly network: Observed<'network'>;
  readonly subnet: Observed<'subnet'>;
}

export async function makeEstate(options: SandboxOptions = {}): Promise<Estate> {
  const stage = await openGcpStage(options);
  const session = await stage.open();
  const network = await createOne({ stage, session }, networkOf('core'));
  const subnet = await createOne({ stage, session }, subnetOf('core.app', network.id));
  stage.sandbox.control.log.clear();
  return { stage, session, network, subnet };
}

type Site = Pick<Estate, 'stage' | 'session'>;

export async function createOne<K extends Kind>(site: Site, creation: Creation<K>): Promise<Observed<K>> {
  const [result] = await create(site, [creation]);
  return must(result);
}

export function create<K extends Kind>(
  { stage, session }: Site,
  batch: readonly Creation<K>[],
  call = recordedCall(),
): Promise<readonly Result<Observed<K>>[]> {
  const [first] = batch;
  assert.ok(first);
  return stage.run(() => session.actuators[first.desired.kind].create(batch, call));
}

export async function updateOne<K extends Kind>(
  { stage, session }: Site,
  revision: Revision<K>,
  call = recordedCall(),
): Promise<Result<void>> {
  const [result] = await stage.run(() => session.actuators[revision.desired.kind].update([revision], call));
  assert.ok(result);
  return result;
}

export async function deleteOne<K extends Kind>(
  { stage, session }: Site,
  observed: Observed<K>,
  call = recordedCall(),
): Promise<Result<void>> {
  const removal = { id: observed.id, observed };
  const [result] = await stage.run(() => session.actuators[observed.kind].delete([removal], call));
  assert.ok(result);
  return result;
}

export function must<T>(result: Result<T> | undefined): T {
  assert.ok(result?.ok, JSON.stringify(result));
  return result.value;
}

export const listOf = <K extends Kind>(
  { stage, session }: Site,
  kind: K,
  call: RecordedCall = recordedCall(),
): Promise<readonly Observed<K>[]> => stage.run(() => everyPage(session.actuators[kind], call));

export async function seen<K extends Kind>(site: Site, kind: K, id: CloudId): Promise<Observed<K>> {
  const found = (await listOf(site, kind)).find((observed) => observed.id === id);
  assert.ok(found, `${id} is not listed`);
  return found;
}

/** `ok`, or the kind of failure and its code. */
export const said = (result: Result<unknown> | undefined): string =>
  result?.ok ? 'ok' : `${result?.failure.kind} ${result?.failure.code}`;

/** Actions that reached the sandbox since the log was cleared, in order; without waits. */
export const actionsOf = ({ sandbox }: GcpStage): readonly string[] =>
  sandbox.control.log
    .entries()
    .map(({ action }) => action.replace('compute.', ''))
    .filter((action) => !action.includes('Operations.'));

/** `projects/acme-prod/global/networks/core#1` → `global/networks/core` */
export const pathOf = (id: CloudId): string => (id.split('#')[0] ?? '').replace(`projects/${project}/`, '');

const creationFor = <K extends Kind>(kind: K, place: string, name: string, attributes: Attributes[K]): Creation<K> =>
  creationOf(
    desiredOf(kind, { address: `${place}/${kind}/${name}`, name: name.replaceAll('.', '-'), attributes }),
    `intent-${kind}-${name}`,
  );

export const networkOf = (name: string, internet = true): Creation<'network'> =>
  creationFor('network', `${scope}/global`, name, { internet, labels: {} });

export const subnetOf = (name: string, network: CloudId, cidr = '10.20.1.0/24'): Creation<'subnet'> =>
  creationFor('subnet', `${scope}/${region}`, name, { network, cidr, labels: {} });

export function ruleOf(
  { network }: Pick<Estate, 'network'>,
  match: Partial<RuleMatch> = {},
  over: Partial<Attributes['firewall-rule']> = {},
): Creation<'firewall-rule'> {
  const whole: RuleMatch = {
    direction: 'ingress',
    action: 'allow',
    protocol: 'tcp',
    ports: '443',
    peers: ['10.0.0.0/8'],
    targets: ['tag:core-web'],
    ...match,
  };
  const order = { priority: 1000, disabled: false, log: false };
  const attributes = { network: network.id, match: whole, description: 'public site', order, ...over };
  return creationFor('firewall-rule', `${scope}/global`, 'core.web-https-1a2b3c4d', attributes);
}

export const instanceOf = (
  { subnet }: Pick<Estate, 'subnet'>,
  name: string,
  over: Partial<Attributes['instance']> = {},
): Creation<'instance'> =>
  creationFor('instance', `${scope}/${zone}`, name, {
    placement: { subnet: subnet.id, publicIp: false },
    groups: ['tag:core-all'],
    machine: { image: 'projects/debian-cloud/global/images/family/debian-12', size: 'e2-small', power: 'running' },
    labels: {},
    ...over,
  });

/** A revision towards `attributes`; `changes` are the changed fields. */
export const revise = <K extends Kind>(
  creation: Creation<K>,
  observed: Observed<K>,
  { attributes, changes }: { readonly attributes: Attributes[K]; readonly changes: readonly FieldChange[] },
): Revision<K> => ({ desired: { ...creation.desired, attributes }, observed, changes });
