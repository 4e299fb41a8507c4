import type { Row } from './row.ts';

/**
 * The line without what differs from look to look while nothing happens to it; the very line where there is nothing of that.
 * Two that are equal in this are one version. Not for people to read: they are told the line itself.
 */
export function steadyRow(row: Row): Row {
  const { state, sides } = row;
  const words = isOfCloud(state) ? [...said, ...counted] : counted;
  const generation = state.status === 'InSync' ? 0 : state.generation;
  const reason = without(words, state.reason);
  const next = sides.next?.held === undefined ? sides.next : { ...sides.next, held: without(words, sides.next.held) };
  if (generation === state.generation && reason === state.reason && next?.held === sides.next?.held) return row;
  return { ...row, state: { ...state, generation, reason }, sides: next === undefined ? sides : { ...sides, next } };
}

/** Its reason has words of its cloud in it. */
const isOfCloud = ({ status, code }: Row['state']): boolean => status === 'Failed' || code === 'not-observed';

/** Of an answer of a cloud: what is encoded, ids of the call, and when it was. No name that we or a cloud give is so long. */
const said: readonly RegExp[] = [
  /[\w+=-]{100,}/g,
  /(?<=(?:request|trace|correlation|tracking|activity|operation)[ _-]?id\W{1,4}(?:is )?['"]?)[\w-]+/gi,
  /\boperation-[\w-]{10,}/g,
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?/g,
  /\b\d{8}T\d{6}Z?/g,
];

/** Of a limit: how what counts against it spreads over the estate. What it comes to stays. */
const counted: readonly RegExp[] = [
  /\(\d+ already made(?:, \d+ in other scopes)?\)/g,
  /of \d+ resources(?=, the limit)/g,
];

const without = (words: readonly RegExp[], text: string): string =>
  words.reduce((rest, each) => rest.replace(each, '…'), text);
