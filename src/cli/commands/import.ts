import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { strictest } from '../../core/desired.ts';
import { estateOf } from '../../core/documents/spec-set.ts';
import type { Uncovered } from '../../core/import/scope-import.ts';
import type { Label } from '../../core/import/selection.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Gap } from '../../core/observed.ts';
import { allListedSettings, type Kind } from '../../core/resource.ts';
import { messageOf, printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { type LocalEstate, readEstate } from '../local/estate.ts';
import { type ImportedFile, type ImportRequest, type ProvenImport, provenImport } from '../local/import.ts';
import { importFromTerraform, type TerraformImport } from '../local/import-terraform.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { readTerraformState } from '../local/terraform-state.ts';
import { collect, defineCommand, type EstateOptions, sameEstate, selectionOf, withEstateOptions } from '../options.ts';
import { kindLines } from '../output/coverage.ts';
import { count, percent } from '../output/format.ts';
import { printJson, printText } from '../output/print.ts';
import { terraformJson, terraformLines, terraformNext } from '../output/terraform.ts';

interface Options extends EstateOptions {
  readonly network: readonly string[];
  readonly kind: readonly Kind[];
  readonly id: readonly string[];
  readonly label: readonly Label[];
  readonly all?: boolean;
  readonly fromTerraform?: string;
  readonly removed?: string;
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
        'Observes the clouds and writes documents that adopt the chosen objects, with all that they refer to: one file for each network. It changes nothing on a cloud, and overwrites no file.\n\nAt the end it plans these documents on the same observation. An object that such a plan would not simply adopt is left out, with the reason.\n\nWith --from-terraform, a state of Terraform or OpenTofu chooses the objects and gives their names. Setpoint reads addresses, ids and the traffic of rules from it, and nothing else. It also writes the `removed` blocks with which Terraform forgets the objects.',
      examples: [
        ['import --all --allow-endpoint', 'everything, from the sandbox'],
        ['import --network core', 'the network core and all that lies in it'],
        ['import --label team=web --kind instance', 'machines with this label, and the networks that they need'],
        ['import --all --dry-run', 'print the documents, and write none'],
        ['import --from-terraform terraform.tfstate', 'the objects of a state, named by their addresses'],
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
    .option(
      '--from-terraform <state>',
      'only objects in this state of Terraform or OpenTofu: a state file (version 4) or the output of `show -json`; - for stdin',
    )
    .option(
      '--removed <file>',
      `new file with \`removed\` blocks for Terraform. Default: ${removedName} in this folder`,
    )
    .option('--out <folder>', 'folder for the new files, inside the specs. Default: imported/ in the specs')
    .option('--dry-run', 'print the documents and write no file')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

const removedName = 'setpoint-removed.tf';

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
  const { fromTerraform, removed = removedName } = options;
  const estate = await readEstate(selectionOf(dir, options), context);
  const instances = fromTerraform === undefined ? undefined : await readTerraformState(fromTerraform, process.stdin);
  const result = await withOptionalStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store, settings: allListedSettings }, context, async (view): Promise<Result> => {
      const gaps = view.looked.flatMap(({ input }) => input.observation.gaps);
      const observing = targetsInObserve(estate);
      if (instances === undefined) return { gaps, observing, proven: await provenImport(view, request, context) };
      const terraform = await importFromTerraform(view, { ...request, instances, removed }, context);
      return { gaps, observing, proven: terraform.proven, terraform };
    }),
  );
  const { proven, terraform } = result;
  if (proven.covered.length + proven.uncovered.length === 0 && terraform?.removed === undefined)
    throw nothingChosen(result);
  if (options.dryRun !== true) await writeFiles(filesOf(result, dir));
  if (options.json) printJson(context.terminal, jsonOf(result, dir, options));
  else printText(context.terminal, headline(proven), textOf(result, dir, options));
  return exitCodes.done;
}

interface Result {
  readonly proven: ProvenImport;
  /** Listings that failed: objects of their kinds may be missing here. */
  readonly gaps: readonly Gap[];
  /** Names of the targets to which no apply writes. */
  readonly observing: readonly string[];
  /** With --from-terraform. */
  readonly terraform?: TerraformImport;
}

const targetsInObserve = ({ tree, scopes }: LocalEstate): readonly string[] =>
  scopes
    .flatMap(({ targets }) => targets)
    .filter(({ spec }) => strictest([spec.mode, estateOf(tree.documents)?.value.spec.mode]) === 'observe')
    .map(({ metadata }) => metadata.name);

/** The new files by their paths from here. */
function filesOf({ proven, terraform }: Result, dir: string): readonly ImportedFile[] {
  const documents = proven.files.map(({ path, text }) => ({ path: join(dir, path), text }));
  return terraform?.removed === undefined || terraform.removed.isKept ? documents : [...documents, terraform.removed];
}

function requestOf(dir: string, options: Options): ImportRequest {
  const { network, kind, id, label, all, out, active, activeOf, fromTerraform, removed } = options;
  if (active === true || activeOf !== undefined)
    throw new UserError('The active specs are in the store, and import writes into a folder.', {
      next: 'Leave out --active and --active-of.',
    });
  const chosen = network.length + kind.length + id.length + label.length;
  if (all !== true && fromTerraform === undefined && chosen === 0)
    throw new UserError('Choose the objects to import.', {
      next: 'Add --all, or choose by --network, --kind, --id, --label or --from-terraform.',
    });
  if (removed !== undefined && fromTerraform === undefined)
    throw new UserError('--removed is for objects of a state of Terraform.', { next: 'Add --from-terraform STATE.' });
  if (all === true && fromTerraform !== undefined)
    throw new UserError('--all and --from-terraform exclude each other.', {
      why: 'A state chooses its objects. --network, --kind, --id and --label narrow this choice.',
      next: 'Leave out one of the two.',
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

/** All of them or none: a failed run removes its files again. */
async function writeFiles(files: readonly ImportedFile[]): Promise<void> {
  const written: string[] = [];
  try {
    for (const { path: file, text } of files) {
      await mkdir(dirname(file), { recursive: true });
      // why: `wx` overwrites nothing, even if somebody wrote the file since the specs were read
      const opened = await open(file, 'wx');
      written.push(file);
      await opened.writeFile(text).finally(() => opened.close());
    }
  } catch (cause) {
    await Promise.all(written.map((file) => rm(file, { force: true })));
    const why = messageOf(cause);
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
  if (all === 0) return 'Import: these objects have documents already';
  return `Import: ${covered.length} of ${count(all, 'object')} in documents (${percent(covered.length, all)})`;
}

function textOf(result: Result, dir: string, options: Options): string {
  const { proven, gaps, terraform } = result;
  const isDryRun = options.dryRun === true;
  const listed = proven.uncovered.slice(0, options.dryRun === true ? undefined : mostListed);
  const more = proven.uncovered.length - listed.length;
  const { files } = proven;
  return [
    ...coverageLines(proven),
    ...(files.length === 0 ? [] : ['']),
    ...files.map(({ path }) => `${options.dryRun === true ? 'would write' : 'wrote'} ${printable(join(dir, path))}`),
    ...(proven.uncovered.length === 0 ? [] : ['', 'Not in documents:']),
    ...listed.map((one) => `  ${printable(unsaidText(one, terraform))}`),
    ...(more === 0 ? [] : [`  and ${more} more: --json lists all`]),
    ...gaps.map(({ kind, reason }) => `${kind} was not listed completely: ${printable(reason)}`),
    ...(terraform === undefined ? [] : ['', ...terraformLines(terraform, isDryRun)]),
    '',
    ...planLines(result, dir, options),
    ...(terraform === undefined ? [] : terraformNext(terraform)),
    ...(isWhole(result) ? [] : ['Setpoint does not touch objects that no document names.']),
    ...(isDryRun ? [...files, ...removedOf(terraform)].flatMap(shown) : []),
  ].join('\n');
}

const removedOf = (terraform: TerraformImport | undefined): readonly ImportedFile[] =>
  terraform?.removed === undefined ? [] : [terraform.removed];

const shown = ({ path, text }: ImportedFile): readonly string[] => ['', `# ${printable(path)}`, text.trimEnd()];

function planLines({ proven, observing }: Result, dir: string, { dryRun, allowEndpoint }: Options): readonly string[] {
  const { files, adopts } = proven;
  if (files.length === 0) return ['There is no new document.'];
  const plan = `Plan of these documents: ${count(adopts, 'object')} to adopt, no other change.`;
  if (dryRun === true) return [plan];
  const same = printable(sameEstate(dir, allowEndpoint === true));
  const mode =
    observing.length === 0
      ? ''
      : `change the mode of ${printable(observing.join(', '))} from observe to plan or enforce, `;
  return [plan, `Next: read the documents, then setpoint plan${same}, then ${mode}setpoint apply${same}.`];
}

const mostListed = 20;

const coverageLines = ({ covered, uncovered }: ProvenImport): readonly string[] =>
  kindLines(
    kindNames.flatMap((kind) => {
      const managed = covered.filter((one) => one.kind === kind).length;
      const objects = managed + uncovered.filter((one) => one.kind === kind).length;
      return objects === 0 ? [] : [{ kind, managed, objects, complete: true }];
    }),
  );

function unsaidText({ kind, id, name: own, reason }: Uncovered, terraform?: TerraformImport): string {
  const name = terraform?.letGo.addresses.get(id) ?? own;
  return `${kind} ${name === '' || name === id ? id : `${name} (${id})`}: ${reason}`;
}

function jsonOf({ proven, gaps, terraform }: Result, dir: string, options: Options): object {
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
    uncovered: proven.uncovered.map(({ scope, kind, id, name, reason }) => ({
      scope,
      kind,
      id,
      name,
      reason,
      terraform: terraform?.letGo.addresses.get(id),
    })),
    gaps,
    plan: { adopt: proven.adopts },
    ...(terraform === undefined ? {} : { terraform: terraformJson(terraform, options.dryRun === true) }),
  };
}
