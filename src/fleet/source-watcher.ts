import { ofKind } from '../core/documents/spec-set.ts';
import { messageOf } from '../core/text.ts';
import { followScope, type SourceDraft, type SpecTree } from '../ports/sources.ts';
import { revisionAcceptor } from './accept.ts';
import { asLeader } from './supervisor.ts';
import type { Source, WorkerContext } from './worker-context.ts';

/** Interval of validating again, and of checking for a wake-up. */
const beatMs = 500;
/** Interval at which a worker that does not lead reads the estate's name again: the awaited specs may be another estate's. */
const patienceMs = 600_000;
/** The wait for specs that name their estate. */
const restMs = 1_000;

/**
 * Makes generations of a source's revisions, until it is stopped. Of all workers that follow the specs of one estate one does
 * so at a time. A revision that is not valid, not signed as required, or unreachable changes nothing: the newest generation
 * stays active, and the source's state has the reason.
 */
export async function watchSource(source: Source, context: WorkerContext, signal: AbortSignal): Promise<void> {
  const look = sourceReader(source, context);
  for (; !signal.aborted; await context.clock.sleep(restMs, signal).catch(() => {})) {
    const estate = nameOf(await look(signal));
    if (estate === undefined) continue;
    const where = { estate, scope: followScope };
    await asLeader(where, { ...context, patienceMs }, signal, (lead) =>
      watchEstate(estate, { source, look }, context, lead),
    );
  }
}

interface WatchedSource {
  readonly source: Source;
  readonly look: (signal: AbortSignal) => Promise<SourceReading>;
}

const nameOf = (seen: SourceReading): string | undefined =>
  seen.state === 'away' ? undefined : seen.tree.estate?.value.metadata.name;

/** Returns when the source begins to speak of another estate: that is another lease. */
async function watchEstate(
  estate: string,
  { source, look }: WatchedSource,
  context: WorkerContext,
  lead: AbortSignal,
): Promise<void> {
  const { clock } = context;
  const hasWakeUp = wakeUpCheck(estate, context);
  const acceptRevision = await revisionAcceptor(estate, source, context);
  const record = stateRecorder(estate, source, context);
  let seen: SourceReading | undefined;
  for (let lookAgainAt = 0; !lead.aborted; await clock.sleep(beatMs, lead)) {
    // why: read before the source, so that a wake-up during the read counts at the next check
    const isWoken = await hasWakeUp();
    if (seen === undefined || isWoken || clock.now() >= lookAgainAt) {
      lookAgainAt = clock.now() + source.everyMs;
      seen = await look(lead);
    }
    // why: a source may be slow to answer, and another leader may have accepted a later revision
    lead.throwIfAborted();
    const name = nameOf(seen);
    if (seen.state === 'sound' && name !== estate)
      return record({
        state: 'broken',
        code: 'names-another-estate',
        head: seen.tree.revision,
        why: speaksOf(name ?? 'none'),
      });
    const word = seen.state === 'sound' ? await acceptRevision(seen.tree) : stateOf(seen);
    // why: judging may be slow, too, and the present leader reports the state
    lead.throwIfAborted();
    await record(word);
  }
}

const speaksOf = (name: string): string =>
  `the specs name the estate ${name} now, so the active generation of this one stays. If that is a mistake, restore the name of the Estate`;

const stateOf = (seen: Exclude<SourceReading, { state: 'sound' }>): SourceReport => ({
  state: seen.state,
  why: seen.why,
  ...(seen.state === 'broken' ? { head: seen.tree.revision } : {}),
});

/** The state to report of a source; undefined: it is too early to decide. */
type SourceReport = Omit<SourceDraft, 'source'>;

/** Keeps the newest word in the store, for everybody who asks. */
function stateRecorder(
  estate: string,
  source: Source,
  { store }: WorkerContext,
): (word: SourceReport | undefined) => Promise<void> {
  let last = '';
  return async (word) => {
    if (word === undefined) return;
    const said = JSON.stringify([word.state, word.code, word.head, word.why]);
    if (said === last) return;
    await store.sources.states.record(estate, { source: source.name, ...word });
    last = said;
  };
}

/** True where a wake-up came since the last check. */
function wakeUpCheck(estate: string, { store }: WorkerContext): () => Promise<boolean> {
  let heard: number | undefined;
  return async () => {
    const count = await store.sources.wakeUps.count(estate);
    const isNew = heard !== undefined && count > heard;
    heard = count;
    return isNew;
  };
}

/** The result of one read of a source; `why`: for people. */
type SourceReading =
  | { readonly state: 'sound'; readonly tree: SpecTree }
  | { readonly state: 'broken'; readonly tree: SpecTree; readonly why: string }
  | { readonly state: 'away'; readonly why: string };

/** Reads a source; a lasting problem is logged once. */
function sourceReader(source: Source, context: WorkerContext): (signal: AbortSignal) => Promise<SourceReading> {
  const log = context.telemetry.log.with({ source: source.name });
  let last = '';
  return async (signal) => {
    const seen = await look(source, context, signal);
    const said = seen.state === 'broken' ? `${seen.state} ${seen.tree.revision}` : seen.state;
    if (said !== last && seen.state === 'broken')
      log.error('specs invalid; the active generation stays', { revision: seen.tree.revision, reason: seen.why });
    if (said !== last && seen.state === 'away')
      log.warn('cannot read the specs; the active generation stays', { reason: seen.why });
    if (last === 'away' && seen.state !== 'away') log.info('specs are readable again');
    last = said;
    return seen;
  };
}

async function look(source: Source, context: WorkerContext, signal: AbortSignal): Promise<SourceReading> {
  try {
    const tree = await source.read(signal);
    const why = errorOf(tree, context);
    return why === undefined ? { state: 'sound', tree } : { state: 'broken', tree, why };
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'away', why: messageOf(error) };
  }
}

function errorOf({ problems, documents }: SpecTree, { outside }: WorkerContext): string | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first) {
    const { file, line, column } = first.at;
    const at = file === '' ? '' : `${file}:${line}:${column}: `;
    return `${at}${first.message}${errors.length > 1 ? `, and ${errors.length - 1} more` : ''}`;
  }
  const elsewhere = ofKind(documents, 'Target').find(({ value }) => value.spec.endpoint !== undefined);
  if (elsewhere === undefined || outside.allowEndpoint) return undefined;
  return `the target ${elsewhere.value.metadata.name} is at an endpoint of its own; if that is meant, start with --allow-endpoint`;
}
