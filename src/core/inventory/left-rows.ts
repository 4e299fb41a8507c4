import type { Row, State } from './row.ts';

/** The code of all that lies where no target reaches any more: how old its look is, is no measure of an answer. */
export const leftCode = 'no-target';

/**
 * The lines of a scope that no target names any more, told from what is kept of them: nothing is wanted there, and nobody looks.
 * What is ours is an orphan; what was wanted and does not stand has no line.
 */
export const leftRows = (rows: readonly Row[]): readonly Row[] => rows.flatMap(leftRow);

function leftRow({ key, place, called, whose, state, sides: { observed } }: Row): readonly Row[] {
  if (observed === undefined) return [];
  const { claim, owner } = whose;
  const isOurs = claim === 'ours' || claim === 'orphan';
  return [
    {
      ...{ key, place, called },
      whose: { claim: isOurs ? 'orphan' : claim, ...(isOurs && owner !== undefined ? { owner } : {}), documents: [] },
      state: leftState(state, isOurs),
      sides: { observed, diff: [] },
    },
  ];
}

const unseen = 'No target names this place any more, so no pass looks at it';

const leftState = ({ generation, by }: State, isOurs: boolean): State => ({
  status: isOurs ? 'Orphan' : 'Unmanaged',
  reason: isOurs
    ? `${unseen}. Bring the target back, or let it go with: setpoint forget ADDRESS.`
    : `${unseen}. It is not ours, and may be gone by now.`,
  code: leftCode,
  generation,
  ...(by === undefined ? {} : { by }),
});
