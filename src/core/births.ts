import { documentOfReplica } from './address.ts';
import type { InstanceAttributes } from './attributes.ts';
import type { Desired, Terms } from './desired.ts';
import type { Knowledge } from './knowledge.ts';
import { canonical } from './ledger/canonical.ts';
import type { Observation, Observed } from './observed.ts';
import type { Address, CloudId } from './resource.ts';

/** A machine that ends sooner than this after its launch is a failed birth. */
export const youngMs = 900_000;
/** After so many failed births in a row nothing more is launched for a document, until it changes or a person resumes it. */
export const mostFailedBirths = 3;
/** How long a machine must have been ready before it counts, where its specs do not say; Kubernetes calls it minReadySeconds. */
export const defaultMinReadyMs = 60_000;

/** A machine that this store launched: while it is young or has not been ready yet, and afterwards if its birth failed. */
export interface Birth {
  readonly id: CloudId;
  readonly address: Address;
  /** As its launch was intended. */
  readonly attributes: InstanceAttributes;
  readonly generation: number;
  /** Milliseconds since the epoch, as are all moments here. */
  readonly launchedAt: number;
  /** Since when each look has found it ready, the cloud's own status checks included. */
  readonly readySince?: number;
  /** A look found it ready for as long as its specs ask for: its launch did not fail, whatever became of it. */
  readonly proven?: boolean;
  /** What was seen of its end, for people. */
  readonly failed?: string;
}

/** What one look says about one birth. `at`: since when it is ready. `wasReady`: it had been ready for long enough before it ended. */
export type BirthVerdict =
  | { readonly id: CloudId; readonly as: 'ready'; readonly at: number; readonly proven: boolean }
  | { readonly id: CloudId; readonly as: 'unready' | 'survived' }
  | { readonly id: CloudId; readonly as: 'failed'; readonly why: string; readonly wasReady: boolean };

/**
 * What a look says about the machines that were launched lately. The cloud's status checks are not part of a look: machines that run
 * and were not ready before are for the caller to ask about.
 *
 *   seen                                      | age          | verdict
 *   ------------------------------------------+--------------+------------------------------------------
 *   ended, being ended, stopped, or gone      | under 15 min | failed
 *   the same, and it was never ready          | any          | failed
 *   running, and ready for `minReady`         | any          | ready: proven
 *   the same, and it had been ready           | from 15 min  | survived: it lived long enough
 *   starting, and it was ready before         | any          | unready: `minReady` begins anew
 *   running, and ready before                 | from 15 min  | survived
 *   not listed, in a gap or too early to tell | any          | none
 */
export function birthVerdicts(observation: Observation, knowledge: Knowledge): readonly BirthVerdict[] {
  const undecided = (knowledge.births ?? []).filter(({ failed }) => failed === undefined);
  if (undecided.length === 0) return [];
  const resources = new Map(observation.resources.map((one) => [one.id, one]));
  // why: whoever stops or ends it just now is this store
  const written = new Set(knowledge.pending.flatMap(({ draft }) => draft.id ?? []));
  return undecided
    .filter(({ id }) => !written.has(id))
    .flatMap((birth) => verdictOf(birth, resources.get(birth.id), observation, knowledge));
}

function verdictOf(
  birth: Birth,
  observed: Observed | undefined,
  observation: Observation,
  knowledge: Knowledge,
): readonly BirthVerdict[] {
  const { id, readySince, launchedAt, proven = false } = birth;
  const ageMs = observation.at - launchedAt;
  const end = endOf(birth, observed, observation, knowledge);
  if (end !== undefined) {
    if (ageMs >= youngMs && readySince !== undefined) return [{ id, as: 'survived' }];
    return [{ id, as: 'failed', why: deathOf(birth, end, ageMs), wasReady: proven }];
  }
  if (observed === undefined || readySince === undefined) return [];
  if (observed.condition.state !== 'ready') return [{ id, as: 'unready' }];
  if (ageMs >= youngMs) return [{ id, as: 'survived' }];
  const minReadyMs = minReadyOf(knowledge.settled.get(id)?.terms ?? {});
  return proven || observation.at - readySince < minReadyMs ? [] : [{ id, as: 'ready', at: readySince, proven: true }];
}

/** How it ended, as the end of a sentence; undefined where it stands, or where the look cannot tell. */
function endOf(
  { id, address }: Birth,
  observed: Observed | undefined,
  { gaps, pending }: Observation,
  { applied }: Knowledge,
): string | undefined {
  if (observed === undefined) {
    const isUnsure = pending.includes(id) || gaps.some(({ kind }) => kind === 'instance');
    return isUnsure ? undefined : 'was gone';
  }
  const { state, reason } = observed.condition;
  const because = reason === undefined ? '' : ` (${reason})`;
  if (state === 'gone' || state === 'deleting') return `was ended${because}`;
  const wanted = powerOf(applied.get(address)?.attributes);
  return wanted === 'running' && powerOf(observed.attributes) === 'stopped' ? `had stopped${because}` : undefined;
}

const powerOf = (attributes: object | undefined): InstanceAttributes['machine']['power'] | undefined =>
  // why: only machines have the key
  attributes !== undefined && 'machine' in attributes ? (attributes as InstanceAttributes).machine.power : undefined;

function deathOf({ id, proven }: Birth, end: string, ageMs: number): string {
  const when = `${id} ${end} when it was looked at ${Math.max(0, Math.round(ageMs / 1000))} s after its launch`;
  if (!proven) return `${when}, and had not been ready for long enough`;
  return `${when}, after it had been ready: whether it failed or somebody ended it is not known`;
}

/** How long a machine must have been ready. */
export const minReadyOf = ({ minReadyMs }: Pick<Terms, 'minReadyMs'>): number => minReadyMs ?? defaultMinReadyMs;

/** Whether it was launched lately and has not been ready for long enough. A machine that is to stand still need not be. */
export function isUnproven({ attributes, readySince, failed }: Birth, minReadyMs: number, at: number): boolean {
  if (failed !== undefined || attributes.machine.power === 'stopped') return false;
  return readySince === undefined || at - readySince < minReadyMs;
}

/** The births of a document, and whether they were births of what it asks for now. */
export const isBirthOf = ({ address, attributes }: Birth, desired: Desired | undefined): boolean =>
  desired?.address === address && canonical(desired.attributes) === canonical(attributes);

/** Failed births by document, of those documents that still ask for what was launched. Empty in most scopes. */
export function failedBirths(
  desired: readonly Desired[],
  { births = [] }: Pick<Knowledge, 'births'>,
): ReadonlyMap<Address, readonly Birth[]> {
  const failed = births.filter((birth) => birth.failed !== undefined);
  if (failed.length === 0) return new Map();
  const wanted = new Map(desired.flatMap((one) => (one.kind === 'instance' ? [[one.address, one] as const] : [])));
  const same = failed.filter((birth) => isBirthOf(birth, wanted.get(birth.address)));
  return Map.groupBy(same, ({ address }) => documentOfReplica(address));
}

/** Why a document's rollout stops: what was seen, newest first. */
export function whyStopped(births: readonly Pick<Birth, 'launchedAt' | 'failed'>[]): string {
  const [last] = births.toSorted((a, b) => b.launchedAt - a.launchedAt);
  const many = births.length === 1 ? 'a new machine failed' : `${births.length} new machines in a row failed`;
  return `${many}: ${last?.failed ?? 'it ended'}`;
}
