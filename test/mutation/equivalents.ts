import type { Mutant } from './mutants.ts';

/** A change that no test can tell from the original, by the text of its line, so that it survives edits elsewhere. */
export interface Equivalent {
  readonly file: string;
  /** The whole line, trimmed. */
  readonly line: string;
  readonly mutation: string;
  /** Its number among the same mutations on such lines; all of them if absent. */
  readonly occurrence?: number;
  /** Why nobody can see it. */
  readonly reason: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'src/engine/control.ts',
    line: "const reason = new Cancelled('the lease was lost', { cause: lease?.signal.reason });",
    mutation: 'default: ?. → .',
    reason: "only the lease's own signal calls it, so there is a lease",
  },
  {
    file: 'src/core/plan/decide-wanted.ts',
    line: 'const sorted = twins.toSorted((a, b) => (a.observed.id < b.observed.id ? -1 : 1));',
    mutation: 'boundary: < → <=',
    reason: 'no two resources of one listing have the same id',
  },
  {
    file: 'src/engine/pending-intents.ts',
    line: "const isSeen = ({ intent }: PendingIntent): boolean => ['once', 'gone'].includes(found.get(intent)?.seen ?? 'no');",
    mutation: "string: 'no' → ''",
    reason: 'it is compared with once and gone only',
  },
  {
    file: 'src/engine/execute.ts',
    line: "const idOf = (outcome: Outcome | undefined): CloudId => (outcome?.as === 'done' ? (outcome.observed?.id ?? '') : '');",
    mutation: "string: '' → 'something'",
    occurrence: 0,
    reason: 'it stands for an id that no cloud ever shows, and no rule has either of the two',
  },
  {
    file: 'src/engine/retry.ts',
    line: "if (again.length === 0) return 'rested';",
    mutation: "empty: 'rested' → undefined",
    reason: 'nothing is left to send again then, and what came of each is returned either way',
  },
  {
    file: 'src/core/cidr.ts',
    line: 'let best = { start: 0, length: 0 };',
    mutation: 'number: 0 → (-1)',
    reason: 'a run of zeros of any length takes its place, and of none nothing is shortened',
  },
  {
    file: 'src/core/order/traffic-index.ts',
    line: 'const one = bundles.length === 1 ? (bundles[0] ?? []) : bundles.flat();',
    mutation: 'number: 1 → 0',
    reason: 'it spares a copy: of one bundle, all of them in a row are the same entries',
  },
  {
    file: 'src/core/inventory/rows.ts',
    line: "const { address = '', observed } = subject;",
    mutation: "string: '' → 'something'",
    reason: 'it stands for an address that nothing has, and no map that is asked for it has either of the two',
  },
  {
    file: 'src/engine/limiter.ts',
    line: 'return itIsHere ? (totals[place] ?? 0) : first;',
    mutation: 'default: totals[place] ?? 0 → (totals[place])',
    reason: 'a row has a total for each of its rate limits, and is asked at the places of these only',
  },
  {
    file: 'src/engine/rate-limit.ts',
    line: 'this.#manyShares = Math.max(1000, 2 * had.size);',
    mutation: 'arithmetic: * → /',
    reason: 'it says only how soon shares of faded use are forgotten, which count as nothing, forgotten or not',
  },
  {
    file: 'src/engine/run-batch.ts',
    line: "if (made.as !== 'done' || made.observed === undefined) return made;",
    mutation: 'logic: || → &&',
    reason: 'a creation that is done bears what it made: the conformance suite holds every provider to it',
  },
];

export const equivalentOf = (
  { file, line, mutation, occurrence }: Pick<Mutant, 'file' | 'line' | 'mutation' | 'occurrence'>,
  table: readonly Equivalent[] = EQUIVALENTS,
): Equivalent | undefined =>
  table.find(
    (row) =>
      row.file === file &&
      row.line === line &&
      row.mutation === mutation &&
      (row.occurrence === undefined || row.occurrence === occurrence),
  );
