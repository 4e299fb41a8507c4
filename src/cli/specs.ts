import type { SpecTree } from '../ports/spec-tree.ts';
import { Complaint } from './complaint.ts';
import type { House, SpecsWish } from './house.ts';
import { hasErrors, problemCount, problemText } from './output/problems.ts';

/** The specs of a folder with all that is wrong in them; a folder that is not there is a complaint. */
export async function readSpecs(house: House, dir: string, wish: SpecsWish = {}): Promise<SpecTree> {
  const tree = await house.specs(dir, wish);
  const unreadable = tree.problems.find(({ code, at }) => code === 'unreadable' && at.file === '');
  if (unreadable === undefined) return tree;
  throw new Complaint(`The folder of specs "${dir}" cannot be read.`, {
    why: unreadable.message,
    next: 'Run this where your specs/ folder is, or name the folder: setpoint <verb> DIR',
  });
}

/** The specs of a folder, sound: with an error in them nothing may be planned. */
export async function soundSpecs(house: House, dir: string, wish: SpecsWish = {}): Promise<SpecTree> {
  const tree = await readSpecs(house, dir, wish);
  if (!hasErrors(tree.problems)) return tree;
  const errors = tree.problems.filter(({ severity }) => severity === 'error');
  throw new Complaint(`The specs have ${problemCount(errors)}, so nothing is planned from them.`, {
    where: `\n${problemText(errors, dir, (_, text) => text).trimEnd()}`,
    next: 'Mend them; `setpoint validate` checks without asking a cloud.',
  });
}
