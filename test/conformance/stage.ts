import assert from 'node:assert/strict';
import { diff, type FieldChange } from '../../src/core/diff.ts';
import type { Result } from '../../src/core/failure.ts';
import { effectOf } from '../../src/core/kinds/kinds.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Attributes, CloudId, Kind } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/actuator.ts';
import { creationOf, desiredOf, recordedCall } from '../support/fixtures.ts';
import { ids } from '../support/ids.ts';
import type { Harness } from './harness.ts';

/** Where a law is tried: a harness, a network with a subnet and two groups in it, and short ways to act. */
export interface Stage {
  readonly harness: Harness;
  readonly home: Home;
  /** A creation of its own name; `attributes` default to the least that the kind needs. */
  creation<K extends Kind>(kind: K, attributes?: Partial<Attributes[K]>, name?: string): Creation<K>;
  actuator<K extends Kind>(kind: K): Actuator<K>;
  /** What the listing says of it, once the cloud has settled. */
  look<K extends Kind>(kind: K, id: CloudId): Promise<Observed<K> | undefined>;
  listed<K extends Kind>(kind: K, call?: Call): Promise<readonly Observed<K>[]>;
}

export interface Home {
  readonly network: CloudId;
  readonly subnet: CloudId;
  readonly groups: readonly [CloudId, CloudId];
}

export async function openStage(harness: Harness): Promise<Stage> {
  const name = ids('thing');
  let blocks = 0;
  const { scope } = harness.session;
  const home: { network: CloudId; subnet: CloudId; groups: [CloudId, CloudId] } = {
    network: '',
    subnet: '',
    groups: ['', ''],
  };
  const stage: Stage = {
    harness,
    home,
    creation: (kind, attributes, own = name()) => {
      const least = leastOf(kind, { home, words: harness.words, ordinal: ++blocks });
      const desired = { address: `${scope}/${kind}/${own}`, name: own, attributes: { ...least, ...attributes } };
      return creationOf(desiredOf(kind, desired), `intent-${own}`);
    },
    actuator: (kind) => harness.session.actuators[kind],
    look: async (kind, id) => (await stage.listed(kind)).find((observed) => observed.id === id),
    listed: async (kind, call = recordedCall()) => {
      await harness.settle();
      return harness.run(() => everyPage(harness.session.actuators[kind], call));
    },
  };
  home.network = (await created(stage, stage.creation('network', { internet: true }, 'home'))).id;
  home.subnet = (await created(stage, stage.creation('subnet', {}, 'home.main'))).id;
  home.groups[0] = (await created(stage, stage.creation('group', {}, 'home.web'))).id;
  home.groups[1] = (await created(stage, stage.creation('group', {}, 'home.lb'))).id;
  await harness.settle();
  return stage;
}

/** The least that each kind needs. `ordinal` makes blocks of addresses differ. */
function leastOf<K extends Kind>(kind: K, given: Given): Attributes[K] {
  const all: { readonly [Each in Kind]: () => Attributes[Each] } = {
    network: () => ({ cidr: `10.${given.ordinal}.0.0/16`, internet: false, labels: {} }),
    subnet: () => ({ network: given.home.network, cidr: `10.1.${given.ordinal}.0/24`, labels: {} }),
    group: () => ({ network: given.home.network, labels: {} }),
    'firewall-rule': () => ({
      network: given.home.network,
      group: given.home.groups[0],
      match: {
        direction: 'ingress',
        action: 'allow',
        protocol: 'tcp',
        ports: `${given.ordinal}`,
        peers: ['10.9.0.0/16'],
      },
      description: '',
    }),
    instance: () => ({
      placement: { subnet: given.home.subnet, publicIp: false },
      groups: [given.home.groups[0]],
      machine: { image: given.words.image, size: given.words.sizes[0], power: 'running' },
      labels: {},
    }),
  };
  return all[kind]();
}

interface Given {
  readonly home: Home;
  readonly words: Harness['words'];
  readonly ordinal: number;
}

async function everyPage<K extends Kind>(actuator: Actuator<K>, call: Call): Promise<readonly Observed<K>[]> {
  const found: Observed<K>[] = [];
  for await (const page of actuator.list(call)) found.push(...page);
  return found;
}

/** Makes one, and says what it is. */
export async function created<K extends Kind>(stage: Stage, creation: Creation<K>): Promise<Observed<K>> {
  const { kind } = creation.desired;
  const results = await stage.harness.run(() => stage.actuator(kind).create([creation], recordedCall()));
  return only(results, `creating ${creation.desired.address}`);
}

/** The listing's word on one that was just made. */
export async function seenAfterCreation<K extends Kind>(stage: Stage, creation: Creation<K>): Promise<Observed<K>> {
  const { id } = await created(stage, creation);
  const seen = await stage.look(creation.desired.kind, id);
  assert.ok(seen, `${id} is made and not listed`);
  return seen;
}

/** The value of a single result. */
export function only<T>(results: readonly Result<T>[], what: string): T {
  const [result] = results;
  assert.equal(results.length, 1, `${what}: one result for one item`);
  assert.ok(result?.ok, `${what}: ${result?.ok === false ? JSON.stringify(result.failure) : 'nothing'}`);
  return result.value;
}

export const failureKinds = (results: readonly Result<unknown>[]): readonly string[] =>
  results.map((result) => (result.ok ? 'ok' : result.failure.kind));

/** What the planner would see between the two. */
export const changesBetween = <K extends Kind>(
  kind: K,
  wanted: Attributes[K],
  seen: Attributes[K],
): readonly FieldChange[] => diff(wanted, seen).filter((change) => effectOf(kind, change) !== 'unseen');

/** The revision that brings `observed` to `attributes`. */
export function revisionOf<K extends Kind>(
  creation: Creation<K>,
  observed: Observed<K>,
  attributes: Attributes[K],
): Revision<K> {
  const desired = { ...creation.desired, attributes };
  return { desired, observed, changes: changesBetween(desired.kind, attributes, observed.attributes) };
}

export const removalOf = <K extends Kind>(observed: Observed<K>): Removal<K> => ({ id: observed.id, observed });
