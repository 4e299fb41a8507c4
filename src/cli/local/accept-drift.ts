import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { layerOf } from '../../core/documents/overlay.ts';
import { type Estate, openEstate } from '../../estate/load.ts';
import type { ChangedFile } from '../../ports/sources.ts';
import { type AcceptMeans, type DriftSelection, type EditView, provenAcceptance } from '../../queries/accept-drift.ts';
import type { Context } from '../context.ts';
import { refusedEdit } from './changed-files.ts';
import { findAddress } from './estate.ts';

/** `overlays`: those that read an edited file too, and that this command did not plan. */
export type LocalAcceptance = Awaited<ReturnType<typeof provenAcceptance>> & { readonly overlays: readonly string[] };

/** Edits the documents of a folder in memory, and proves the edits. Throws where a drift cannot be stated, with the place. */
export async function acceptInFolder(
  view: EditView,
  selection: DriftSelection,
  context: Pick<Context, 'dependencies'>,
): Promise<LocalAcceptance> {
  try {
    const proven = await provenAcceptance(view, selection, meansOf(view, context));
    return { ...proven, overlays: await overlaysBeside(proven.files, view.estate) };
  } catch (error) {
    throw refusedEdit(error);
  }
}

const meansOf = ({ estate }: EditView, { dependencies }: Pick<Context, 'dependencies'>): AcceptMeans => ({
  findAddress,
  fieldsText: (fields) => fields.join(', '),
  editSpecFile: dependencies.editSpecFile,
  parse: dependencies.parseStoredSpecs,
  open: (tree) =>
    openEstate(tree, async (cloud) => estate.clouds.get(cloud) ?? dependencies.provider(cloud), estate.today),
});

/** An edited file of the base is read by every overlay, and only one was planned. */
async function overlaysBeside(files: readonly ChangedFile[], { dir, tree }: Estate): Promise<readonly string[]> {
  if (files.every(({ path }) => layerOf(path) !== 'base')) return [];
  const found = await readdir(join(dir, 'overlays'), { withFileTypes: true }).catch(noFolder);
  return found.flatMap((entry) => (entry.isDirectory() && entry.name !== tree.overlay ? [entry.name] : [])).toSorted();
}

function noFolder(error: NodeJS.ErrnoException): readonly [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
