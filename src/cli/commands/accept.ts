import { join } from 'node:path';
import type { Command } from 'commander';
import { entryChanges } from '../../core/render/value-text.ts';
import { printable } from '../../core/text.ts';
import type { ProposedBranch } from '../../ports/sources.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { acceptInFolder, type LocalAcceptance } from '../local/accept-drift.ts';
import { confirmFiles, proposalText, pushBranch, type ShownFile, shownFiles } from '../local/changed-files.ts';
import { readEstate } from '../local/estate.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withExistingStore } from '../local/store.ts';
import { writeChangedFiles } from '../local/write-files.ts';
import {
  type Complete,
  collect,
  completeFor,
  defineCommand,
  type EstateOptions,
  quoted,
  sameEstate,
  selectionOf,
  withSpecsOption,
} from '../options.ts';
import { count } from '../output/format.ts';
import { paintFor, printJson, printText } from '../output/print.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly field: readonly string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly propose?: boolean;
  readonly remote?: string;
  readonly json?: boolean;
  readonly active?: boolean;
  readonly activeOf?: string;
}

export const accept = (context: Context): Command =>
  withSpecsOption(
    defineCommand('accept', {
      group: 'Own',
      summary: 'write drift that you want to keep into the documents',
      about:
        'Edits the documents of these resources so that they state what the clouds have. Comments, order and quotes stay. It changes nothing on a cloud.\n\nIt shows the diff of the files, and proves that a plan of them no longer changes these resources and does nothing new. A drift that no exact edit can state is refused, with the place and the reason.',
      examples: [
        ['accept web-0', 'all drift of one machine'],
        ['accept instance/web --field size', 'the size of all machines of the document web'],
        ['accept core.web-https', 'ports and peers of a rule that a colleague removed'],
        ['accept web-0 --dry-run', 'print the diff, and write nothing'],
        ['accept web-0 --propose', 'push a branch for a pull request, and leave the folder as it is'],
      ],
    }).argument('<address...>', 'resources or documents to accept the drift of'),
  )
    .option('--field <field>', 'only this field, such as size or labels.tier; repeatable', collect, [])
    .option('--propose', 'commit to a branch setpoint/… and push it, instead of writing the files')
    .option('--remote <name>', 'with --propose: the remote to push to. Default: origin')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'print the diff and write no file')
    .option('--json', 'one JSON object on stdout')
    .action(async (addresses: readonly string[], _options: Options, command: Command) => {
      context.finish(await run(addresses, command.optsWithGlobals<Options>(), context));
    });

async function run(given: readonly string[], options: Options, context: Context): Promise<ExitCode> {
  refuseOptions(options);
  const estate = await readEstate(selectionOf(options.specs, options), context);
  const proven = await withExistingStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, (view) =>
      acceptInFolder(view, { given, fields: options.field }, context),
    ),
  );
  const shown = await shownFiles(proven.files, options.specs, context);
  if (proven.files.length === 0) return finish(proven, shown, { ...options, written: false }, context);
  const paint = paintFor(context.terminal.out);
  if (!options.json) {
    const [first = '', ...rest] = bodyOf(proven, shown, options);
    printText(context.terminal, paint('strong', headline(proven)), [first, ...rest].join('\n'));
  }
  if (options.dryRun === true) return finish(proven, shown, { ...options, written: false }, context);
  if (options.json && options.yes !== true) context.terminal.err.write(shown.map(({ diff }) => diff).join(''));
  const verb = options.propose === true ? 'Commit and push' : 'Edit';
  await confirmFiles({ verb, files: proven.files.length, yes: options.yes }, context);
  const proposed = await carryOut(proven, options, context);
  return finish(proven, shown, { ...options, written: proposed === undefined, proposed }, context);
}

function refuseOptions({ active, activeOf, propose, remote }: Options): void {
  if (active === true || activeOf !== undefined)
    throw new UserError('The active specs are in the store, and accept edits files in a folder.', {
      next: 'Leave out --active and --active-of.',
    });
  if (remote !== undefined && propose !== true)
    throw new UserError('--remote names where a proposal goes.', { next: 'Add --propose, or leave out --remote.' });
}

/** Writes the files, or pushes them in a branch. */
async function carryOut(
  proven: LocalAcceptance,
  options: Options,
  context: Context,
): Promise<ProposedBranch | undefined> {
  if (options.propose !== true) {
    await writeChangedFiles(options.specs, proven.files);
    return undefined;
  }
  const { remote = 'origin', specs: dir } = options;
  const proposal = { dir, files: proven.files, topic: 'accept', message: commitMessage(proven), remote };
  return pushBranch(proposal, 'Mend the cause and run it again, or leave out --propose to edit the files.', context);
}

/** Of the commit. */
function commitMessage({ accepted }: LocalAcceptance): string {
  const resources = new Set(accepted.map(({ address }) => address)).size;
  const lines = accepted.map((one) => `- ${differenceText(one)}`);
  return `fix: accept drift of ${count(resources, 'resource')}\n\nThe documents state what the clouds have:\n\n${lines.join('\n')}\n`;
}

function headline({ accepted, files }: LocalAcceptance): string {
  const resources = new Set(accepted.map(({ address }) => address)).size;
  return `Accept: ${count(accepted.length, 'difference')} of ${count(resources, 'resource')} into ${count(files.length, 'file')}`;
}

function bodyOf(proven: LocalAcceptance, shown: readonly ShownFile[], options: Options): readonly string[] {
  const { specs, allowEndpoint = false } = options;
  const { accepted, left, others, overlays, rollouts } = printable(proven);
  return [
    ...accepted.flatMap((one) => {
      const [first = '', ...entries] = differenceText(one);
      return [
        `  ${first}  ${printable(join(specs, one.at.file))}:${one.at.line}`,
        ...entries.map((line) => `      ${line}`),
      ];
    }),
    '',
    ...shown.map(({ diff }) => diff.trimEnd()),
    '',
    'Plan of these documents: it no longer changes this, and does nothing new.',
    ...(others.length === 0 ? [] : [`The same lines settle the drift of ${others.join(', ')}.`]),
    ...left.map(({ address, field }) => `Still open: ${field} of ${address}. Setpoint writes it with the next apply.`),
    ...rolloutLines(rollouts, completeFor(specs, options)),
    ...(overlays.length === 0
      ? []
      : [
          `Overlays read the edited base too, and were not planned: ${overlays.map((name) => `setpoint plan${sameEstate(specs, allowEndpoint)} --overlay ${quoted(name)}`).join(', ')}`,
        ]),
  ];
}

/** The difference in one line; of lists, a line follows for each entry that the document gets or loses. */
function differenceText({ address, field, from, to }: LocalAcceptance['accepted'][number]): readonly string[] {
  if (field === undefined) return [`${address}  gone from the cloud`];
  const entries = entryChanges({ field, from, to });
  if (entries !== undefined) return [`${address}  ${field}`, ...entries.map(({ sign, text }) => `${sign} ${text}`)];
  return [`${address}  ${field} ${valueText(from)} → ${valueText(to)}`];
}

const valueText = (value: unknown): string => {
  if (value === undefined) return '(none)';
  return typeof value === 'string' ? value || "''" : JSON.stringify(value);
};

interface Outcome extends Options {
  readonly written: boolean;
  readonly proposed?: ProposedBranch | undefined;
}

function finish(
  proven: LocalAcceptance,
  shown: readonly ShownFile[],
  options: Outcome,
  { terminal }: Context,
): ExitCode {
  if (options.json) printJson(terminal, jsonOf(proven, shown, options));
  else if (proven.files.length === 0)
    printText(terminal, 'Accept: no drift', nothingText(proven, completeFor(options.specs, options)));
  else terminal.out.write(`${nextText(shown, options)}\n`);
  return exitCodes.done;
}

function nothingText({ rollouts, left }: LocalAcceptance, complete: Complete): string {
  return [
    ...left.map(
      ({ address, field }) => `${field} of ${printable(address)} is Setpoint's own: the next apply writes it.`,
    ),
    ...rolloutLines(printable(rollouts), complete),
  ].join('\n');
}

/** Differences that are no drift, by resource. Nothing applies a setting. */
function rolloutLines(rollouts: LocalAcceptance['rollouts'], complete: Complete): readonly string[] {
  return [...Map.groupBy(rollouts, ({ address }) => address)].flatMap(([address, all]) => {
    const line = (isSetting: boolean, next: string): readonly string[] => {
      const fields = all.flatMap(({ field }) => (field.startsWith('settings.') === isSetting ? [field] : []));
      if (fields.length === 0) return [];
      return [`Not accepted: ${fields.join(', ')} of ${address}, as a document changed there. ${next}`];
    };
    return [
      ...line(false, `To make the cloud so: ${complete('setpoint apply')}`),
      ...line(true, 'Setpoint does not change settings yet: edit the document or the cloud.'),
    ];
  });
}

function nextText(shown: readonly ShownFile[], { written, proposed, specs, allowEndpoint = false }: Outcome): string {
  if (proposed !== undefined) return proposalText(proposed);
  if (!written) return 'Nothing was written.';
  const lines = shown.map(({ path, removed }) => `${removed ? 'removed' : 'wrote'} ${printable(path)}`);
  return [
    ...lines,
    `Next: review the files with git diff, commit them, then setpoint apply${printable(sameEstate(specs, allowEndpoint))}`,
  ].join('\n');
}

function jsonOf(
  { accepted, left, others, overlays, rollouts }: LocalAcceptance,
  shown: readonly ShownFile[],
  { written, proposed, specs }: Outcome,
): object {
  return {
    accepted: accepted.map(({ address, field, from, to, at }) => ({
      address,
      field,
      from,
      to,
      file: join(specs, at.file),
      line: at.line,
    })),
    files: shown.map(({ path, removed, diff }) => ({ path, written, removed, diff })),
    others,
    left: left.map(({ address, field }) => ({ address, field })),
    rollouts,
    overlays,
    ...(proposed === undefined
      ? {}
      : {
          proposed: {
            branch: proposed.branch,
            commit: proposed.commit,
            remote: proposed.remote,
            url: proposed.url,
            unpushed: proposed.unpushed,
          },
        }),
  };
}
