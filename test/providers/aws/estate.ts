import assert from 'node:assert/strict';
import type { FieldChange } from '../../../src/core/diff.ts';
import type { Result } from '../../../src/core/failure.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { Attributes, CloudId, Kind, RuleMatch } from '../../../src/core/resource.ts';
import type { Creation, Revision, Session } from '../../../src/ports/provider.ts';
import { type AwsStage, openAwsStage, scope } from '../../support/aws-session.ts';
import { everyPage } from '../../support/every-page.ts';
import { creationOf, desiredOf, type RecordedCall, recordedCall } from '../../support/fixtures.ts';

/** A small estate in a sandbox, made through the provider itself. */
export interface Estate {
  readonly stage: AwsStage;
  readonly session: Session;
  readonly network: Observed<'network'>;
  readonly subnet: Observed<'subnet'>;
  readonly group: Observed<'group'>;
}

export async function makeEstate(internet = false): Promise<Estate> {
  const stage = await openAwsStage();
  const session = await stage.open();
  const network = await createOne(session, networkOf('core', { internet }));
  const subnet = await createOne(session, subnetOf('core.app', network.id, { internet }));
  const group = await createOne(session, groupOf('core.web', network.id));
  stage.sandbox.control.log.clear();
  return { stage, session, network, subnet, group };
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

/** Answers read as text: `ok`, or the code. */
export const codes = (results: readonly Result<unknown>[]): readonly string[] =>
  results.map((result) => (result.ok ? 'ok' : result.failure.code));

/** Actions that reached the sandbox since the last `clear`, in order. */
export const actionsOf = ({ sandbox }: AwsStage): readonly string[] =>
  sandbox.control.log.entries().map(({ action }) => action);

const creationFor = <K extends Kind>(kind: K, name: string, attributes: Attributes[K]): Creation<K> =>
  creationOf(
    desiredOf(kind, { address: `${scope}/${kind}/${name}`, name: name.replaceAll('.', '-'), attributes }),
    `intent-${kind}-${name}`,
  );

export const networkOf = (name: string, over: Partial<Attributes['network']> = {}): Creation<'network'> =>
  creationFor('network', name, { cidr: '10.20.0.0/16', internet: false, labels: {}, ...over });

export const subnetOf = (
  name: string,
  network: CloudId,
  over: Partial<Attributes['subnet']> = {},
): Creation<'subnet'> => creationFor('subnet', name, { network, cidr: '10.20.1.0/24', labels: {}, ...over });

export const groupOf = (name: string, network: CloudId, over: Partial<Attributes['group']> = {}): Creation<'group'> =>
  creationFor('group', name, { network, labels: {}, ...over });

export function ruleOf(
  { network, group }: Estate,
  match: Partial<RuleMatch> = {},
  description = '',
): Creation<'firewall-rule'> {
  const whole: RuleMatch = {
    direction: 'ingress',
    action: 'allow',
    protocol: 'tcp',
    ports: '443',
    peers: ['10.0.0.0/8'],
    ...match,
  };
  const attributes = { network: network.id, group: group.id, match: whole, description };
  return creationFor(
    'firewall-rule',
    ['core.web', whole.direction, whole.protocol, whole.ports, ...whole.peers].join('.'),
    attributes,
  );
}

/** Replica `ordinal` of the document `name`, as one launch's item: token and intent are the batch's. */
export function instanceOf(
  { subnet, group }: Estate,
  [name, ordinal]: readonly [string, number],
  over: Partial<Attributes['instance']> = {},
): Creation<'instance'> {
  const desired = desiredOf('instance', {
    address: `${scope}/instance/${name}-${ordinal}`,
    name: `${name}-${ordinal}`,
    attributes: {
      placement: { subnet: subnet.id, publicIp: false },
      groups: [group.id],
      machine: { image: 'ami-0abc0abc0abc0abc0', size: 't3.small', power: 'running' },
      labels: {},
      ...over,
    },
  });
  const document = { address: `${scope}/instance/${name}`, file: 'web.yaml', line: 1 };
  return creationOf({ ...desired, documents: [document] }, `intent-${name}-${ordinal}`);
}

/** A revision towards `attributes`; `changes` are the changed fields. */
export function revise<K extends Kind>(
  creation: Creation<K>,
  observed: Observed<K>,
  { attributes, changes }: { readonly attributes: Attributes[K]; readonly changes: readonly FieldChange[] },
): Revision<K> {
  return { desired: { ...creation.desired, attributes }, observed, changes };
}
