import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { ofKind } from '../../core/documents/spec-set.ts';
import { type CaseResult, resultOf, trialsOf } from '../../core/policy/cases.ts';
import { policyRulesOf } from '../../core/policy/rules.ts';
import { printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readValidSpecs } from '../local/estate.ts';
import { defineCommand, type OverlayOption, overlayOf, withOverlayOption } from '../options.ts';
import { count } from '../output/format.ts';
import { type Paint, paintFor, printJson, printText } from '../output/print.ts';
import { problemCount, problemText } from '../output/problems.ts';

interface Options extends OverlayOption {
  readonly specs: string;
  readonly json?: boolean;
}

export const policy = (context: Context): Command =>
  defineCommand('policy', {
    group: 'Specs',
    summary: 'test the policies of the specs',
    examples: [['policy test', 'the cases in policy-tests/, beside specs/']],
  }).addCommand(test(context));

const test = (context: Context): Command =>
  withOverlayOption(
    defineCommand('test', {
      group: 'Specs',
      summary: 'run the cases of policies; exit 1 where one fails',
      about: 'A case is a resource, and the answer that a policy must have for it: deny, warn or allow.',
      examples: [
        ['policy test', 'the cases in policy-tests/, beside specs/'],
        ['policy test ports.yaml --specs prod/specs', 'one file, by the policies of another folder'],
      ],
    }).argument('[file...]', 'files or folders of cases'),
  )
    .option('--specs <folder>', 'folder of specs', 'specs')
    .option('--json', 'one JSON object on stdout')
    .action(async (files: readonly string[], options: Options) => context.finish(await run(files, options, context)));

async function run(given: readonly string[], options: Options, context: Context): Promise<ExitCode> {
  const { terminal, dependencies } = context;
  const { documents } = await readValidSpecs(options.specs, overlayOf(options), context);
  const files = given.length > 0 ? given : [join(dirname(options.specs), 'policy-tests')];
  const { cases, problems } = await dependencies.readPolicyCases(files);
  if (problems.length > 0)
    throw new UserError(`The cases have ${problemCount(problems)}, so none ran.`, {
      where: `\n${problemText(problems, '', (_, text) => text).trimEnd()}`,
      next: 'Fix them, or name other files: setpoint policy test FILE',
    });
  if (cases.length === 0)
    throw new UserError(`There are no cases in ${files.join(', ')}.`, {
      next: 'Write some, or name their files: setpoint policy test FILE',
    });
  const { evaluate } = await import('../../policy/evaluator.ts');
  const policies = policyRulesOf(ofKind(documents, 'Policy'));
  const results: CaseResult[] = [];
  for (const trial of cases.flatMap((one) => trialsOf(one, policies))) {
    const [found = []] = trial.rules.length === 0 ? [] : await evaluate(trial.rules, [trial.given]);
    results.push(resultOf(trial, found));
  }
  const failed = results.filter(({ passed }) => !passed).length;
  if (options.json) printJson(terminal, { passed: results.length - failed, failed, cases: results.map(caseJson) });
  else printText(terminal, ...textOf(results, failed, paintFor(terminal.out)));
  return failed === 0 ? exitCodes.done : exitCodes.error;
}

const caseJson = ({ policy: of, name, at, expected, got, passed, answers }: CaseResult): object => ({
  ...{ policy: of, name, file: at.file, line: at.line, expected, got, passed, answers },
});

function textOf(results: readonly CaseResult[], failed: number, paint: Paint): readonly [string, string] {
  const passed = results.length - failed;
  const verdict =
    failed === 0 ? `${count(passed, 'case')} passed` : `${failed} of ${count(results.length, 'case')} failed`;
  const lines = results.flatMap((result) => {
    const { policy: of, name, at, expected, got, answers } = printable(result);
    if (result.passed) return [`  ${paint('good', 'ok  ')}  ${of}: ${name}`];
    return [
      `  ${paint('bad', 'FAIL')}  ${of}: ${name}  ${paint('dim', `${at.file}:${at.line}`)}`,
      `        expected ${expected}, got ${got}`,
      ...answers.map((answer) => `        ${answer}`),
    ];
  });
  return [paint(failed === 0 ? 'good' : 'bad', verdict), lines.join('\n')];
}
