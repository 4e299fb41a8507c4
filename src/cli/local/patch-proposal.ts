import { join } from 'node:path';
import { documentTitle } from '../../core/documents/document.ts';
import type { DocumentEdit } from '../../core/documents/document-edit.ts';
import { layerOf } from '../../core/documents/overlay.ts';
import { treeAt } from '../../core/documents/tree.ts';
import { canonical } from '../../core/ledger/canonical.ts';
import { documentOf, fieldPath, fieldText, type Patch, type PatchField, writtenAt } from '../../core/patch.ts';
import { snapshotOf } from '../../estate/load.ts';
import type { BranchProposal, ChangedFile, SpecTree } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { type OverlayOption, overlayOf } from '../options.ts';
import { editedFiles } from './changed-files.ts';

export interface PatchFolder extends OverlayOption {
  /** The folder of specs. */
  readonly specs: string;
}

/** Edits of a folder that state the values of a patch. Their merge ends the patch, and changes nothing on a cloud. */
export interface PatchProposal {
  readonly files: readonly ChangedFile[];
  /** Other consequences of the change, for people. */
  readonly notes: readonly string[];
}

type Proposed = Pick<Patch, 'kind' | 'name' | 'fields'>;

/** Throws where the documents cannot state the values, or state them already. */
export async function patchProposal(
  patch: Proposed & { readonly estate: string },
  options: PatchFolder,
  context: Pick<Context, 'dependencies'>,
): Promise<PatchProposal> {
  const { specs: dir } = options;
  const tree = await context.dependencies.readSpecs(dir, overlayOf(options));
  refuseInvalid(tree, `${dir} has an error.`);
  const found = tree.estate?.value.metadata.name;
  if (found !== patch.estate)
    throw new UserError(`The specs in ${dir} are of the estate ${found}, and the patch is of ${patch.estate}.`, {
      next: 'Name the folder of its specs with --specs.',
      code: exitCodes.refused,
    });
  // why: over the API a field has only its name
  const fields = patch.fields.map((field) => ({ ...field, path: pathOf(field) }));
  const edits = editsOf({ ...patch, fields }, tree, dir);
  if (edits.length === 0)
    throw new UserError(`The specs in ${dir} state these values already.`, {
      next: 'Commit them. The commit ends the patch.',
      code: exitCodes.refused,
    });
  const files = editedFiles(edits, { tree, dir }, context);
  prove({ ...patch, fields }, files, tree, context);
  const overlays = tree.overlay !== undefined && edits.some(({ at }) => layerOf(at.file) === 'base');
  return { files, notes: overlays ? ['The base states these fields, so other overlays read the change, too.'] : [] };
}

/** The branch for the proposal. The title of the commit has at most 72 characters. */
export function patchBranch(
  patch: Proposed & Pick<Patch, 'id' | 'person' | 'reason'>,
  { files }: PatchProposal,
  { dir, remote = 'origin' }: { readonly dir: string; readonly remote?: string | undefined },
): BranchProposal {
  const title = `feat: keep patch #${patch.id} of ${documentTitle(patch)}`;
  const lines = patch.fields.map(({ path, value }) => `- ${fieldText(path)}: ${JSON.stringify(value)}`);
  const message = `${title.length > 72 ? `feat: keep patch #${patch.id}` : title}\n\n${lines.join('\n')}\n\nPatched by ${patch.person}: ${patch.reason}\n`;
  return { dir, files, topic: 'patch', message, remote };
}

function pathOf({ path }: PatchField): readonly string[] {
  const { path: known, refused } = fieldPath(fieldText(path));
  if (known !== undefined) return known;
  throw new UserError(`\`${fieldText(path)}\` cannot be written into a document.`, { why: `${refused}.` });
}

function editsOf(patch: Proposed, tree: SpecTree, dir: string): readonly DocumentEdit[] {
  const document = documentOf(patch, tree.documents);
  if (document === undefined)
    throw new UserError(`The specs in ${dir} have no ${documentTitle(patch)}.`, {
      next: 'Name the folder of its specs with --specs, and their overlay with --overlay. Edit a document in the repository of a team by hand.',
    });
  return patch.fields.flatMap(({ path, value, was }): readonly DocumentEdit[] => {
    const written = writtenAt(document, path);
    if (isSame(written, value ?? undefined)) return [];
    if (!isSame(written, was))
      throw new UserError(
        `\`${fieldText(path)}\` is not in these specs as it was when the patch began. Nothing was changed.`,
        {
          where: `${join(dir, document.at().file)}:${document.at().line}`,
          why: 'They are read with another overlay, or somebody changed the field since.',
          next: 'Name the overlay of the active specs with --overlay, or edit the field by hand.',
          code: exitCodes.refused,
        },
      );
    const at = treeAt(document.tree, path)?.at ?? document.at();
    return [value === null ? { op: 'remove', at, path } : { op: 'set', at, path, value }];
  });
}

/** The edited documents are valid, and state the values. */
function prove(
  patch: Proposed,
  files: readonly ChangedFile[],
  tree: SpecTree,
  { dependencies }: Pick<Context, 'dependencies'>,
): void {
  const texts = new Map(files.map(({ path, after = '' }) => [path, after]));
  const kept = snapshotOf(tree);
  const specs = kept.specs.map(({ path, text }) => ({ path, text: texts.get(path) ?? text }));
  const edited = dependencies.parseStoredSpecs({ ...kept, specs }, tree.revision);
  refuseInvalid(edited, 'The documents would not be valid with these values.');
  const document = documentOf(patch, edited.documents);
  const wrong = patch.fields.find(
    ({ path, value }) => document === undefined || !isSame(writtenAt(document, path), value ?? undefined),
  );
  if (wrong !== undefined)
    throw new UserError(`An edit in one place cannot state \`${fieldText(wrong.path)}\`. Nothing was changed.`, {
      why: 'More than one layer of the specs states the field.',
      next: 'Edit these places by hand, and commit them: setpoint explain shows them.',
      code: exitCodes.refused,
    });
}

function refuseInvalid({ problems }: SpecTree, what: string): void {
  const problem = problems.find(({ severity }) => severity === 'error');
  if (problem === undefined) return;
  throw new UserError(`${what} Nothing was changed.`, {
    where: `${problem.at.file}:${problem.at.line}: ${problem.message}`,
    next: 'Correct it, and run this again: setpoint validate',
    code: exitCodes.refused,
  });
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b);
