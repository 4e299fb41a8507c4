import { type Cell, cells, nameOf, turnOf } from './cells.ts';
import { verbs } from './sides.ts';

/** 81 of them, three verbs and three manners for every failpoint on every cloud: what each run of the tests has time for. */
export const fewer: readonly Cell[] = cells.filter((cell) => {
  const { failpoint, verb, cloud, manner } = turnOf(cell);
  return (
    (failpoint + verb + cloud) % 3 === manner && ![0, 2].some((at) => (failpoint + cloud + at) % verbs.length === verb)
  );
});

/** Whether its name has all these words. */
export const isMeant =
  (words: string) =>
  (cell: Cell): boolean => {
    const own = nameOf(cell).split(' ');
    return words.split(/\s+/).every((word) => word === '' || own.includes(word));
  };

/** Every `of`th, beginning with the `part`th. */
export const partOf = (all: readonly Cell[], part: number, of: number): readonly Cell[] =>
  all.filter((_, at) => at % of === part - 1);
