import type { Command } from 'commander';
import { sortProblems } from '../../core/documents/problem.ts';
import { policyProblems } from '../../core/render/policies.ts';
import { judgeEstate } from '../../estate/policies.ts';
import type { SpecTree } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { compileEstate, readSpecs } from '../local/estate.ts';
import { defineCommand, type OverlayOption, overlayOf, withOverlayOption } from '../options.ts';
import { count } from '../output/format.ts';
import { paintFor, printJson, printText } from '../output/print.ts';
import { hasErrors, problemCount, problemJson, problemText } from '../output/problems.ts';

interface Options extends OverlayOption {
  readonly json?: boolean;
  readonly strict?: boolean;
}

export const validate = (context: Context): Command =>
  withOverlayOption(
    defineCommand('validate', {
      group: 'Specs',
      summary: 'check the specs, without a cloud or a store',
      about: 'Prints all errors at once, each with its place, its line, the expected value and a suggestion.',
      examples: [
        ['validate', 'the specs in specs/'],
        ['validate prod/ --json', 'another folder, as JSON'],
        ['validate --overlay prod', 'with overlays/prod over the base'],
      ],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .option('--strict', 'treat warnings as errors')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, options: Options) => context.finish(await run(dir, options, context)));

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const tree = await judged(await readSpecs(dir, overlayOf(options), context), dir, context);
  const valid = !hasErrors(tree.problems) && !(options.strict && tree.problems.length > 0);
  if (options.json) printJson(terminal, { ...summary(tree, valid), problems: problemJson(tree.problems, dir) });
  else {
    const paint = paintFor(terminal.out);
    const verdict = paint(valid ? 'good' : 'bad', verdictOf(tree, valid));
    printText(terminal, verdict, tree.problems.length > 0 ? `\n${problemText(tree.problems, dir, paint)}` : '');
  }
  return valid ? exitCodes.done : exitCodes.error;
}

/** With a warning for each violation of a policy. Specs with an error in them make no resources. */
async function judged(tree: SpecTree, dir: string, context: Context): Promise<SpecTree> {
  if (hasErrors(tree.problems) || !tree.documents.some(({ value }) => value.kind === 'Policy')) return tree;
  const estate = await compileEstate(tree, { dir, targets: [], allowEndpoint: true }, context);
  const judgement = await judgeEstate(estate);
  return { ...tree, problems: sortProblems([...tree.problems, ...policyProblems(judgement)]) };
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
