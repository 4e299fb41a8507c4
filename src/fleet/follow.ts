import { followScope, type SourceDraft } from '../ports/sources.ts';
import { gateOf } from './gate.ts';
import { asLeader } from './leader.ts';
import { lookAt, type Seen } from './look.ts';
import type { Source } from './source.ts';
import type { Yard } from './yard.ts';

/** How often what is known is judged again, and how soon a bell is heard. */
const beatMs = 500;
/** Who does not lead looks again this often which estate the specs are of: the one waited for may be another's. */
const patienceMs = 600_000;
/** How long to wait for specs that say which estate they are of. */
const restMs = 1_000;

/**
 * Makes generations of what a source says, until it is stopped. Of all workers that follow the specs of one estate one does
 * so at a time. What is not sound, not signed as it should be, or out of reach changes nothing: the newest generation stays in
 * force, and the source's state says why.
 */
export async function follow(source: Source, yard: Yard, signal: AbortSignal): Promise<void> {
  const look = lookAt(source, yard);
  for (; !signal.aborted; await yard.clock.sleep(restMs, signal).catch(() => {})) {
    const estate = nameOf(await look(signal));
    if (estate === undefined) continue;
    const where = { estate, scope: followScope };
    await asLeader(where, { ...yard, patienceMs }, signal, (lead) => followAs(estate, { source, look }, yard, lead));
  }
}

interface Followed {
  readonly source: Source;
  readonly look: (signal: AbortSignal) => Promise<Seen>;
}

const nameOf = (seen: Seen): string | undefined =>
  seen.state === 'away' ? undefined : seen.tree.estate?.value.metadata.name;

/** Returns when the source begins to speak of another estate: that is another lease. */
async function followAs(estate: string, { source, look }: Followed, yard: Yard, lead: AbortSignal): Promise<void> {
  const { clock } = yard;
  const isRung = bellOf(estate, yard);
  const gate = await gateOf(estate, source, yard);
  const tell = tellerOf(estate, source, yard);
  let seen: Seen | undefined;
  for (let lookAgainAt = 0; !lead.aborted; await clock.sleep(beatMs, lead)) {
    // why: asked before the look, so that whoever rings during it is heard at the next beat
    const rung = await isRung();
    if (seen === undefined || rung || clock.now() >= lookAgainAt) {
      lookAgainAt = clock.now() + source.everyMs;
      seen = await look(lead);
    }
    // why: a source may be slow to answer, and whoever leads by now may have accepted what came after this
    lead.throwIfAborted();
    const name = nameOf(seen);
    if (seen.state === 'sound' && name !== estate)
      return tell({ state: 'broken', head: seen.tree.revision, why: speaksOf(name ?? 'none') });
    const word = seen.state === 'sound' ? await gate(seen.tree) : stateOf(seen);
    // why: judging may be slow, too, and whoever leads by now says what is so
    lead.throwIfAborted();
    await tell(word);
  }
}

const speaksOf = (name: string): string =>
  `the specs speak of the estate ${name} now; what was in force of this one stays. If that is not meant: give the Estate its name back`;

const stateOf = (seen: Exclude<Seen, { state: 'sound' }>): Word => ({
  state: seen.state,
  why: seen.why,
  ...(seen.state === 'broken' ? { head: seen.tree.revision } : {}),
});

/** What is to be told of a source; undefined: it is too early to say. */
type Word = Omit<SourceDraft, 'source'>;

/** Keeps the newest word in the store, for everybody who asks. */
function tellerOf(estate: string, source: Source, { store }: Yard): (word: Word | undefined) => Promise<void> {
  let told = '';
  return async (word) => {
    if (word === undefined) return;
    const said = JSON.stringify([word.state, word.head, word.why]);
    if (said === told) return;
    await store.sources.states.tell(estate, { source: source.name, ...word });
    told = said;
  };
}

/** Whether somebody rang since this was asked last. */
function bellOf(estate: string, { store }: Yard): () => Promise<boolean> {
  let heard: number | undefined;
  return async () => {
    const rung = await store.sources.bells.rung(estate);
    const isNew = heard !== undefined && rung > heard;
    heard = rung;
    return isNew;
  };
}
