import assert from 'node:assert/strict';
import { diff, type FieldChange } from '../../src/core/diff.ts';
import type { Result } from '../../src/core/failure.ts';
import { effectOf } from '../../src/core/kinds/kinds.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Attributes, CloudId, Kind } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { everyPage } from '../support/every-page.ts';
import { creationOf, desiredOf, recordedCall } from '../support/fixtures.ts';
import { ids } from '../support/ids.ts';
import type { Harness, Home } from './harness.ts';
import { leastOf } from './least.ts';
import type { Subject } from './subject.ts';

/** The setting of a law: a harness, a network with a subnet and two groups in it, and short ways to act. */
export interface Stage {
  readonly subject: Subject;
  readonly harness: Harness;
  readonly home: Home;
  /** A creation of its own name; `attributes` default to the least that the kind needs. */
  creation<K extends Kind>(kind: K, attributes?: Partial<Attributes[K]>, name?: string): Creation<K>;
  actuator<K extends Kind>(kind: K): Actuator<K>;
  /** The listing, once the cloud has settled. */
  listed<K extends Kind>(kind: K, call?: Call): Promise<readonly Observed<K>[]>;
}

export async function openStage(harness: Harness, subject: Subject): Promise<Stage> {
  const { dialect } = subject;
  const { place } = harness.words;
  const name = ids('thing');
  let ordinal = 0;
  const groups: [string, string] = ['', ''];
  const home = { network: '', subnet: '', groups };
  const stage: Stage = {
    subject,
    harness,
    home,
    creation: (kind, attributes, own = name()) => {
      ordinal += 1;
      const least = leastOf(kind, { home, words: harness.words, ordinal, dialect });
      const desired = desiredOf(kind, {
        address: `${dialect.names.prefix(kind, place)}/${kind}/${own}`,
        name: kind === 'firewall-rule' && dialect.rules.contentName ? '' : dialect.names.objectName(kind, own),
        attributes: { ...least, ...attributes },
      });
      return creationOf(desired, `intent-${own}`);
    },
    actuator: (kind) => harness.session.actuators[kind],
    listed: async (kind, call = recordedCall()) => {
      await harness.settle();
      return harness.run(() => everyPage(harness.session.actuators[kind], call));
    },
  };
  home.network = (await created(stage, stage.creation('network', wholeNetwork(subject), 'home'))).id;
  home.subnet = (await created(stage, stage.creation('subnet', {}, 'home.main'))).id;
  for (const [index, group] of (['home.web', 'home.lb'] as const).entries()) {
    home.groups[index] =
      dialect.holds.groups === 'objects'
        ? (await created(stage, stage.creation('group', {}, group))).id
        : `tag:${dialect.names.objectName('group', group)}`;
  }
  await harness.settle();
  return stage;
}

/** A network with all the parts that it can have. */
export const wholeNetwork = ({ dialect: { holds } }: Subject): Partial<Attributes['network']> =>
  holds.network.includes('internet') ? { internet: true } : {};

/** One resource of the listing, once the cloud has settled. */
export const look = async <K extends Kind>(stage: Stage, kind: K, id: CloudId): Promise<Observed<K> | undefined> =>
  (await stage.listed(kind)).find((observed) => observed.id === id);

/** Creates one, and returns it. */
export async function created<K extends Kind>(stage: Stage, creation: Creation<K>): Promise<Observed<K>> {
  const { kind } = creation.desired;
  const results = await stage.harness.run(() => stage.actuator(kind).create([creation], recordedCall()));
  return only(results, `creating ${creation.desired.address}`);
}

/** The listing's word on one that was just made. */
export async function seenAfterCreation<K extends Kind>(stage: Stage, creation: Creation<K>): Promise<Observed<K>> {
  const { id } = await created(stage, creation);
  const seen = await look(stage, creation.desired.kind, id);
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

/** The planner's diff of the two, in the cloud's own words if it has several. */
export function changesBetween<K extends Kind>(
  kind: K,
  wanted: Attributes[K],
  seen: Attributes[K],
): readonly FieldChange[] {
  return diff(wanted, seen).filter((change) => effectOf(kind, change) !== 'unseen');
}

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
