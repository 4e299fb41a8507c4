import { type Action, doneVerbOf } from '../core/action.ts';
import type { Desired } from '../core/desired.ts';
import { backoff, type Failure } from '../core/failure.ts';
import type { InstanceAttributes } from '../core/resource.ts';
import { withFullStop } from '../core/text.ts';
import type { LaunchAnswer, LaunchQuestion } from '../ports/provider.ts';
import { wait } from './control.ts';
import type { ExecutionContext, LaunchChecks } from './execution-context.ts';
import type { Outcome } from './ports.ts';

export const launchChecksOf = (): LaunchChecks => new Map();

/**
 * The reason that this action cannot succeed, checked before anything is changed for it; undefined where there is none.
 *
 *   action                          | asked about                        | cloud could not be asked
 *   --------------------------------+------------------------------------+-----------------------------------------------
 *   creation, replacement by surge  | image, size, a free address, quota | goes on: nothing is ended before it stands
 *   replacement by recreate         | image, size                        | refused: the old machine would be ended for it
 *   update that changes the size    | size                               | goes on: a refusal leaves the machine
 *   anything else                   | nothing                     |
 */
export async function launchObstacle(action: Action, context: ExecutionContext): Promise<Outcome | undefined> {
  const { canLaunch } = context.at.site.session;
  const question = questionOf(action, context);
  if (canLaunch === undefined || question === undefined) return undefined;
  const key = keyOf(question);
  const answering = context.launchChecks.get(key) ?? ask(question, context);
  context.launchChecks.set(key, answering);
  const answer = await answering;
  if (answer.as === 'possible') return undefined;
  const { failure } = answer;
  if (answer.as === 'unknown' && !endsFirst(action)) return undefined;
  const message =
    answer.as === 'unknown' ? `${unasked} ${failure.message}` : `${withFullStop(failure.message)} ${untouched}`;
  const { code, requestId } = failure;
  const obstacle: Failure = {
    ...{ kind: 'terminal', code, message },
    ...(requestId === undefined ? {} : { requestId }),
  };
  // why: no intent is begun, so nothing else reports it
  const { kind, address } = action;
  context.notify?.({ at: 'settled', kind, verb: doneVerbOf(action), address, failure: obstacle });
  return { as: 'failed', failure: obstacle };
}

const untouched = 'This was checked before any change: nothing was started, stopped or ended for it.';
const unasked =
  'The cloud could not be asked whether the new machine can exist, and the old one would be ended for it; it stays. Grant the permission to read images and sizes (docs/clouds.md), then apply again.';

const endsFirst = (action: Action): boolean => action.verb === 'replace' && action.surge === undefined;

function questionOf(action: Action, { known }: ExecutionContext): LaunchQuestion | undefined {
  if (action.verb !== 'create' && action.verb !== 'replace' && action.verb !== 'update') return undefined;
  const { desired, address } = action;
  if (!isInstance(desired)) return undefined;
  const { machine, placement } = desired.attributes;
  const subnet = known.ids.idOf(placement.subnet);
  const { publicIp } = placement;
  const place = { address, size: machine.size, publicIp, ...(subnet === undefined ? {} : { subnet }) };
  if (action.verb !== 'update') return { ...place, image: machine.image, needsRoom: !endsFirst(action) };
  const resizes = action.changes.some(({ field }) => field === 'machine.size');
  return resizes ? { ...place, needsRoom: false } : undefined;
}

const isInstance = (desired: Desired): desired is Desired<'instance'> & { readonly attributes: InstanceAttributes } =>
  desired.kind === 'instance';

/** The zone or resource group that the address names, without the machine. */
const keyOf = ({ address, ...question }: LaunchQuestion): string =>
  JSON.stringify([address.slice(0, address.lastIndexOf('/')), question]);

const mostAttempts = 3;

/** A question that may be answered better a moment later is asked again. */
async function ask(question: LaunchQuestion, context: ExecutionContext): Promise<LaunchAnswer> {
  const { calls, cancellation, ports, notify, at } = context;
  for (let attempt = 1; ; attempt++) {
    const answer = (await at.site.session.canLaunch?.(question, calls.reading())) ?? possible;
    if (answer.as !== 'unknown' || !mayPass.has(answer.failure.kind) || attempt >= mostAttempts) return answer;
    const waiter = { clock: ports.clock, waits: cancellation.waits, notify };
    await wait({ why: 'backoff', detail: 'an image or a size', forMs: backoff(attempt, ports.random()) }, waiter);
  }
}

const possible: LaunchAnswer = { as: 'possible' };
const mayPass: ReadonlySet<string> = new Set(['throttled', 'retryable', 'ambiguous']);
