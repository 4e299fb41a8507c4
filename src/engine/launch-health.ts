import { type BirthVerdict, birthVerdicts, type Knowledge, minReadyOf, youngMs } from '../core/knowledge.ts';
import type { Observation, Observed } from '../core/observed.ts';
import type { CloudId } from '../core/resource.ts';
import type { Call, Health } from '../ports/provider.ts';
import { callsOf } from './calls.ts';
import { cancellationOn, type ReconcileControl } from './control.ts';
import type { EnginePorts, Site } from './ports.ts';

/**
 * Judges the machines that were launched lately, by an observation and the cloud's own status checks. It asks the cloud only
 * about running machines that have not been ready yet: no request in a scope at rest.
 */
export async function judgeBirths(
  observation: Observation,
  knowledge: Knowledge,
  site: Site,
  { ports, control }: { readonly ports: Pick<EnginePorts, 'limiter' | 'clock'>; readonly control: ReconcileControl },
): Promise<readonly BirthVerdict[]> {
  const verdicts = birthVerdicts(observation, knowledge);
  const judged = new Set(verdicts.map(({ id }) => id));
  const running = runningIn(observation);
  const unchecked = (knowledge.births ?? []).filter(
    ({ id, readySince, failed }) =>
      readySince === undefined && failed === undefined && running.has(id) && !judged.has(id),
  );
  const ids = unchecked.map(({ id }) => id);
  if (ids.length === 0) return verdicts;
  const cancellation = cancellationOn(control, ports.clock);
  try {
    const calls = callsOf(knowledge.estate, { site, ports, cancellation, notify: control.notify });
    const healths = await healthOf(ids, site, calls.reading());
    const isAtOnce = (id: CloudId): boolean => minReadyOf(knowledge.settled.get(id)?.terms ?? {}) === 0;
    const checks = unchecked.flatMap(({ id, launchedAt }) =>
      checked(id, healths.get(id), observation, { launchedAt, isAtOnce: isAtOnce(id) }),
    );
    return [...verdicts, ...checks];
  } finally {
    cancellation.end();
  }
}

const runningIn = ({ resources }: Observation): ReadonlySet<CloudId> =>
  new Set(resources.filter(isReady).map(({ id }) => id));

const isReady = ({ kind, condition }: Observed): boolean => kind === 'instance' && condition.state === 'ready';

interface Launched {
  readonly launchedAt: number;
  /** It counts as soon as its checks passed. */
  readonly isAtOnce: boolean;
}

/**
 *   checks        | age          | verdict
 *   --------------+--------------+--------------------------------------------------
 *   passed        | any          | ready
 *   failed        | any          | failed: it will not come up by itself
 *   not passed    | under 15 min | none
 *   not passed    | from 15 min  | failed: it was never ready; it stays, for people to examine
 *   could not be read | any      | none
 */
function checked(
  id: CloudId,
  health: Health | undefined,
  { at }: Observation,
  { launchedAt, isAtOnce }: Launched,
): readonly BirthVerdict[] {
  if (health === undefined) return [];
  if (health.state === 'passed') return [{ id, as: 'ready', at, proven: isAtOnce }];
  if (health.state === 'failed') return [{ id, as: 'failed', why: `${id}: ${health.detail}`, wasReady: false }];
  if (at - launchedAt < youngMs) return [];
  const why = `${id} has not passed the cloud's checks within ${Math.round((at - launchedAt) / 1000)} s of its launch: ${health.detail}`;
  return [{ id, as: 'failed', why, wasReady: false }];
}

/** By id; a machine whose checks could not be read is left out. Where a cloud has no checks, whatever runs has passed. */
export async function healthOf(
  ids: readonly CloudId[],
  { session }: Pick<Site, 'session'>,
  call: Call,
): Promise<ReadonlyMap<CloudId, Health>> {
  const { health } = session.actuators.instance;
  if (health === undefined) return new Map(ids.map((id) => [id, { state: 'passed' }]));
  const results = ids.length === 0 ? [] : await health(ids, call);
  return new Map(ids.flatMap((id, i) => (results[i]?.ok ? [[id, results[i].value] as const] : [])));
}
