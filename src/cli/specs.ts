import type { SpecTree } from '../ports/sources.ts';
import { Complaint } from './complaint.ts';
import type { House, SpecsWish } from './house.ts';
import { hasErrors, problemCount, problemText } from './output/problems.ts';

/** The specs of a folder with all that is wrong in them; a folder that is not there is a complaint. */
export async function readSpecs(house: House, dir: string, wish: SpecsWish = {}): Promise<SpecTree> {
  const tree = await read(house, dir, wish);
  const unreadable = tree.problems.find(({ code, at }) => code === 'unreadable' && at.file === '');
  if (unreadable === undefined) return tree;
  throw new Complaint(`The folder of specs "${dir}" cannot be read${inCommit(wish)}.`, {
    why: unreadable.message,
    next: 'Run this where your specs/ folder is, or name the folder: setpoint <verb> DIR',
  });
}

async function read(house: House, dir: string, wish: SpecsWish): Promise<SpecTree> {
  if (wish.ref === undefined) return house.specs(dir, wish);
  try {
    return await house.specs(dir, wish);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Complaint(`The specs of ${wish.ref} cannot be read.`, { why, cause });
  }
}

const inCommit = ({ ref }: SpecsWish): string => (ref === undefined ? '' : ` in ${ref}`);

/** The specs of a folder, sound: with an error in them nothing may be planned. */
export async function soundSpecs(house: House, dir: string, wish: SpecsWish = {}): Promise<SpecTree> {
  const tree = await readSpecs(house, dir, wish);
  if (!hasErrors(tree.problems)) return tree;
  const errors = tree.problems.filter(({ severity }) => severity === 'error');
  throw new Complaint(`The specs${inCommit(wish)} have ${problemCount(errors)}, so nothing is planned from them.`, {
    where: `\n${problemText(errors, dir, (_, text) => text).trimEnd()}`,
    next: 'Mend them; `setpoint validate` checks without asking a cloud.',
  });
}
