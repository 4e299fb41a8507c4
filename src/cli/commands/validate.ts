import type { Command } from 'commander';
import type { SpecTree } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { type OverlayOption, overlayOf, withOverlayOption } from '../estate/overlay-option.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { paintFor } from '../output/paint.ts';
import { hasErrors, problemCount, problemJson, problemText } from '../output/problems.ts';
import { readSpecs } from '../specs.ts';
import { verb } from '../verb.ts';

interface Options extends OverlayOption {
  readonly json?: boolean;
  readonly strict?: boolean;
}

export const validate = (context: Context): Command =>
  withOverlayOption(
    verb('validate', {
      group: 'Specs',
      summary: 'check the specs, without a cloud or a store',
      about:
        'All errors are told at once, each with its place, the line, what was expected, and what was likely meant.',
      examples: [
        ['validate', 'the specs in specs/'],
        ['validate prod/ --json', 'another folder, for a machine'],
        ['validate --overlay prod', 'with overlays/prod over the base'],
      ],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .option('--strict', 'warnings are errors')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, options: Options) => context.finish(await run(dir, options, context)));

async function run(dir: string, options: Options, { house, terminal }: Context): Promise<ExitCode> {
  const tree = await readSpecs(house, dir, overlayOf(options));
  const valid = !hasErrors(tree.problems) && !(options.strict && tree.problems.length > 0);
  if (options.json) emitJson(terminal, { ...summary(tree, valid), problems: problemJson(tree.problems, dir) });
  else {
    const paint = paintFor(terminal.out);
    const verdict = paint(valid ? 'good' : 'bad', verdictOf(tree, valid));
    emitText(terminal, verdict, tree.problems.length > 0 ? `\n${problemText(tree.problems, dir, paint)}` : '');
  }
  return valid ? exitCodes.done : exitCodes.error;
}

const summary = (tree: SpecTree, valid: boolean): object => ({
  valid,
  estate: tree.estate?.value.metadata.name ?? null,
  revision: tree.revision,
  ...overlayOf(tree),
  documents: tree.documents.length,
});

function verdictOf({ documents, problems, estate }: SpecTree, valid: boolean): string {
  if (!valid) return `Invalid: ${problemCount(problems)}`;
  const warned = problems.length > 0 ? ` · ${problemCount(problems)}` : '';
  return `Valid: ${count(documents.length, 'document')} of the estate ${estate?.value.metadata.name ?? '?'}${warned}`;
}
