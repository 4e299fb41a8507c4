import type { PauseTrace, Trace } from '../trace.ts';
import type { Invariant } from './invariant.ts';

/** No request is sent after a pause that covers it was committed, however often it was sent before; and none is intended. */
export const held: Invariant = {
  number: 15,
  name: 'held',
  broken: (trace) =>
    trace.pauses.flatMap((pause) => (pause.address === undefined ? sentIn(pause, trace) : intendedIn(pause, trace))),
};

const sentIn = ({ id, from, until }: PauseTrace, { runs }: Trace): readonly string[] =>
  runs.flatMap(({ name, sent }) =>
    sent
      .filter(({ at }) => at > from && at < until)
      .map(({ action, at }) => `${name} sent ${action} at ${at}, ${at - from} ms after pause ${id}`),
  );

/** The intents at the address between the pause and its end, in the order of the ledger. */
function intendedIn({ id, address }: PauseTrace, { ledger: { entries } }: Trace): readonly string[] {
  const begins = entries.findIndex(({ body }) => idOf(body['note']) === id);
  const ends = entries.findIndex(({ body }, at) => at > begins && endedBy(body['note']).includes(id));
  return entries
    .slice(begins, ends)
    .filter(({ type, body }) => type === 'intent' && body['address'] === address && body['verb'] !== 'forget')
    .map(({ seq }) => `entry ${seq} intends at ${address}, after pause ${id}`);
}

const idOf = (note: unknown): unknown => Reflect.get(Object(Reflect.get(Object(note), 'pause')), 'id');

function endedBy(note: unknown): readonly unknown[] {
  const pauses: unknown = Reflect.get(Object(Reflect.get(Object(note), 'resume')), 'pauses');
  return Array.isArray(pauses) ? pauses : [];
}
