import { join } from 'node:path';
import type { DocumentEdit } from '../../core/documents/document-edit.ts';
import { messageOf, printable } from '../../core/text.ts';
import type { BranchProposal, ChangedFile, ProposedBranch, SpecTree } from '../../ports/sources.ts';
import { EditRefused, editedFiles as editFiles } from '../../queries/accept-drift.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { count } from '../output/format.ts';
import { askYes } from '../prompt.ts';

/** A change of a file, for people. `path`: from where the command runs. */
export interface ShownFile {
  readonly path: string;
  readonly removed: boolean;
  readonly diff: string;
}

/** `dir`: the folder of the files, from where the command runs. */
export const shownFiles = (
  files: readonly ChangedFile[],
  dir: string,
  { dependencies }: Pick<Context, 'dependencies'>,
): Promise<readonly ShownFile[]> =>
  Promise.all(
    files.map(async (file) => {
      const path = join(dir, file.path);
      return { path, removed: file.after === undefined, diff: await dependencies.fileDiff({ ...file, path }) };
    }),
  );

interface AskingOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** The diff is in the JSON, which comes at the end: nobody could answer before. `otherwise`: the way to read it. */
export function refuseToAsk({ json, yes, dryRun }: AskingOptions, otherwise = 'with --dry-run'): void {
  if (!json || yes === true || dryRun === true) return;
  throw new UserError('With --json this command cannot ask.', {
    why: 'Its diff is in the JSON, which it prints at the end.',
    next: `Read the diff ${otherwise}, then add --yes.`,
  });
}

/** The files with edits of their documents. Throws where a text cannot be edited. */
export function editedFiles(
  edits: readonly DocumentEdit[],
  specs: { readonly tree: SpecTree; readonly dir: string },
  { dependencies }: Pick<Context, 'dependencies'>,
): readonly ChangedFile[] {
  try {
    return editFiles(edits, specs, dependencies);
  } catch (error) {
    throw refusedEdit(error);
  }
}

/** A refusal of an edit, as the command line prints it; any other error as it is. */
export const refusedEdit = (error: unknown): unknown =>
  error instanceof EditRefused ? new UserError(error.what, { ...error.details, code: exitCodes.refused }) : error;

/** Throws unless the user says yes to the change of so many files. `verb`: `Write`, `Commit and push`. */
export async function confirmFiles(
  { verb, files, yes }: { readonly verb: string; readonly files: number; readonly yes?: boolean | undefined },
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
): Promise<void> {
  if (yes === true) return;
  if (await askYes(terminal, { text: `${verb} ${count(files, 'file')}?`, flag: '--yes' }, signal)) return;
  throw new UserError('Nothing was changed.', { why: "The answer was not 'yes'.", code: exitCodes.refused });
}

/** Commits the files to a branch and pushes it. `next`: the way on after a failure. */
export async function pushBranch(
  proposal: BranchProposal,
  next: string,
  { dependencies, signal, terminal }: Pick<Context, 'dependencies' | 'signal' | 'terminal'>,
): Promise<ProposedBranch> {
  terminal.err.write(`Pushing a branch to ${printable(proposal.remote)} …\n`);
  try {
    return await dependencies.propose(proposal, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new UserError('The change was not proposed. No file was written.', {
      why: messageOf(cause),
      next,
      cause,
    });
  }
}

export function proposalText({ branch, commit, remote, url, unpushed }: ProposedBranch): string {
  return printable([
    `pushed ${branch} (commit ${commit.slice(0, 12)}) to ${remote}`,
    ...(unpushed ? [`It brings along ${count(unpushed, 'commit')} of yours that the remote did not have.`] : []),
    'No file here was changed. The commit is unsigned, and its author is a bot.',
    `Next: open a pull request${url === undefined ? ` of the branch ${branch}` : `: ${url}`}`,
  ]).join('\n');
}
