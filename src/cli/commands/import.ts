import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Uncovered } from '../../core/import/scope-import.ts';
import type { Label } from '../../core/import/selection.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Gap } from '../../core/observed.ts';
import type { Kind } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { type ImportedFile, type ImportRequest, type ProvenImport, provenImport } from '../local/import.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { collect, defineCommand, type EstateOptions, selectionOf, withEstateOptions } from '../options.ts';
import { count } from '../output/format.ts';
import { printJson, printText } from '../output/print.ts';

interface Options extends EstateOptions {
  readonly network: readonly string[];
  readonly kind: readonly Kind[];
  readonly id: readonly string[];
  readonly label: readonly Label[];
  readonly all?: boolean;
  readonly out?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly active?: boolean;
  readonly activeOf?: string;
}

export const importCommand = (context: Context): Command =>
  withEstateOptions(
    defineCommand('import', {
      group: 'Own',
      summary: 'write documents for existing objects that nobody claims',
      about:
        'Observes the clouds and writes documents that adopt the chosen objects, with all that they refer to: one file for each network. It changes nothing on a cloud, and overwrites no file.\n\nAt the end it plans these documents on the same observation. An object that such a plan would not simply adopt is left out, with the reason.',
      examples: [
        ['import --all --allow-endpoint', 'everything, from the sandbox'],
        ['import --network core', 'the network core and all that lies in it'],
        ['import --label team=web --kind instance', 'machines with this label, and the networks that they need'],
        ['import --all --dry-run', 'print the documents, and write none'],
      ],
    }),
  )
    .option('--network <name>', 'only objects of this network, by name or id; repeatable', collect, [])
    .addOption(
      new Option('--kind <kind>', 'only objects of this kind; repeatable')
        .choices(kindNames)
        .default([])
        .argParser(collectKind),
    )
    .option('--id <id>', 'only this object; repeatable', collect, [])
    .option('--label <key=value>', 'only objects with this label; repeatable', collectLabel, [])
    .option('--all', 'all objects that nobody claims')
    .option('--out <folder>', 'folder for the new files, inside the specs. Default: imported/ in the specs')
    .option('--dry-run', 'print the documents and write no file')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

function collectKind(value: string, before: readonly Kind[]): readonly Kind[] {
  const kind = kindNames.find((name) => name === value);
  if (kind === undefined) throw new InvalidArgumentError(`Write one of ${kindNames.join(', ')}.`);
  return [...before, kind];
}

function collectLabel(text: string, before: readonly Label[]): readonly Label[] {
  const cut = text.indexOf('=');
  const key = cut < 0 ? text : text.slice(0, cut);
  if (key === '') throw new InvalidArgumentError('Write a key and a value, such as team=web, or a key alone.');
  return [...before, cut < 0 ? { key } : { key, value: text.slice(cut + 1) }];
}

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const request = requestOf(dir, options);
  const estate = await readEstate(selectionOf(dir, options), context);
  const result = await withOptionalStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, async (view) => {
      const gaps = view.looked.flatMap(({ input }) => input.observation.gaps);
      return { gaps, proven: await provenImport(view, request, context) };
    }),
  );
  const { proven } = result;
  if (proven.covered.length + proven.uncovered.length === 0) throw nothingChosen(result);
  if (options.dryRun !== true) await writeFiles(dir, proven.files);
  if (options.json) printJson(context.terminal, jsonOf(result, dir, options));
  else printText(context.terminal, headline(proven), textOf(result, dir, options));
  return exitCodes.done;
}

interface Result {
  readonly proven: ProvenImport;
  /** Listings that failed: objects of their kinds may be missing here. */
  readonly gaps: readonly Gap[];
}

function requestOf(dir: string, { network, kind, id, label, all, out, active, activeOf }: Options): ImportRequest {
  if (active === true || activeOf !== undefined)
    throw new UserError('The active specs are in the store, and import writes into a folder.', {
      next: 'Leave out --active and --active-of.',
    });
  const chosen = network.length + kind.length + id.length + label.length;
  if (all !== true && chosen === 0)
    throw new UserError('Choose the objects to import.', {
      next: 'Add --all, or choose by --network, --kind, --id or --label.',
    });
  if (all === true && chosen > 0)
    throw new UserError('--all and a choice exclude each other.', { next: 'Leave out one of the two.' });
  const folder = out === undefined ? 'imported' : relative(resolve(dir), resolve(out)).split(sep).join('/');
  const [first = '', ...deeper] = folder.split('/');
  if (first === '..' || isAbsolute(folder))
    throw new UserError(`The folder "${out}" is outside the specs.`, {
      why: `Documents are read from ${dir} only.`,
      next: `Name a folder inside it: --out ${join(dir, 'imported')}`,
    });
  if (/^(?:@|overlays$)/.test(first) || [first, ...deeper].some((name) => /^(?:[.-]|node_modules$)/.test(name)))
    throw new UserError(`The folder "${out}" is no place for these documents.`, {
      why: 'Hidden folders, node_modules and names with a dash first are not read; @folders and overlays have their own meaning.',
      next: `Name another one: --out ${join(dir, 'imported')}`,
    });
  return { selection: { networks: network, kinds: kind, ids: id, labels: label }, folder };
}

function nothingChosen({ gaps }: Result): UserError {
  return new UserError('No object matches that could be imported.', {
    why:
      gaps.length === 0
        ? 'Setpoint owns the matching objects already, documents adopt them, or there are none.'
        : `These listings failed: ${gaps.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ')}`,
    next:
      gaps.length === 0
        ? 'List the unmanaged objects: setpoint inventory --refresh --claim unmanaged'
        : 'Find the cause with: setpoint doctor',
  });
}

/** All of them or none: what was written of a failed run is removed again. */
async function writeFiles(dir: string, files: readonly ImportedFile[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(dir, path);
      await mkdir(dirname(file), { recursive: true });
      // why: `wx` overwrites nothing, even if somebody wrote the file since the specs were read
      const opened = await open(file, 'wx');
      written.push(file);
      await opened.writeFile(text).finally(() => opened.close());
    }
  } catch (cause) {
    await Promise.all(written.map((file) => rm(file, { force: true })));
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError('The documents were not written.', {
      why: `${why}. Setpoint removed the files of this run.`,
      next: 'Mend the cause and run it again, or name another folder with --out.',
      cause,
    });
  }
}

const isWhole = ({ proven: { uncovered }, gaps }: Result): boolean => uncovered.length === 0 && gaps.length === 0;

function headline({ covered, uncovered }: ProvenImport): string {
  const all = covered.length + uncovered.length;
  return `Import: ${covered.length} of ${count(all, 'object')} in documents (${percent(covered.length, all)})`;
}

/** Rounded down, so that 100 % is all of them. */
const percent = (part: number, all: number): string =>
  all === 0 ? '100%' : `${Math.floor((part / all) * 1000) / 10}%`;

function textOf(result: Result, dir: string, options: Options): string {
  const { proven, gaps } = result;
  const listed = proven.uncovered.slice(0, options.dryRun === true ? undefined : mostListed);
  const more = proven.uncovered.length - listed.length;
  const { files } = proven;
  return [
    ...coverageLines(proven),
    ...(files.length === 0 ? [] : ['']),
    ...files.map(({ path }) => `${options.dryRun === true ? 'would write' : 'wrote'} ${printable(join(dir, path))}`),
    ...(proven.uncovered.length === 0 ? [] : ['', 'Not in documents:']),
    ...listed.map((one) => `  ${printable(unsaidText(one))}`),
    ...(more === 0 ? [] : [`  and ${more} more: --json lists all`]),
    ...gaps.map(({ kind, reason }) => `${kind} was not listed completely: ${printable(reason)}`),
    '',
    ...planLines(proven, options),
    ...(isWhole(result) ? [] : ['Setpoint does not touch objects that no document names.']),
    ...(options.dryRun === true ? files.flatMap(({ path, text }) => ['', `# ${path}`, text.trimEnd()]) : []),
  ].join('\n');
}

function planLines({ files, adopts }: ProvenImport, { dryRun }: Options): readonly string[] {
  if (files.length === 0) return ['There is no new document.'];
  const plan = `Plan of these documents: ${count(adopts, 'object')} to adopt, no other change.`;
  return dryRun === true ? [plan] : [plan, 'Next: read the documents, then setpoint plan, then setpoint apply.'];
}

const mostListed = 20;

const coverageLines = ({ covered, uncovered }: ProvenImport): readonly string[] =>
  kindNames.flatMap((kind) => {
    const own = covered.filter((one) => one.kind === kind).length;
    const all = own + uncovered.filter((one) => one.kind === kind).length;
    return all === 0 ? [] : [`  ${kind.padEnd(14)} ${own} of ${all}`];
  });

const unsaidText = ({ kind, id, name, reason }: Uncovered): string =>
  `${kind} ${name === '' || name === id ? id : `${name} (${id})`}: ${reason}`;

function jsonOf({ proven, gaps }: Result, dir: string, options: Options): object {
  return {
    files: proven.files.map(({ path, text }) => ({
      path: join(dir, path),
      written: options.dryRun !== true,
      ...(options.dryRun === true ? { text } : {}),
    })),
    coverage: Object.fromEntries(
      kindNames.map((kind) => {
        const covered = proven.covered.filter((one) => one.kind === kind).length;
        return [kind, { covered, uncovered: proven.uncovered.filter((one) => one.kind === kind).length }];
      }),
    ),
    uncovered: proven.uncovered,
    gaps,
    plan: { adopt: proven.adopts },
  };
}
