import { join } from 'node:path';
import type { CompiledScope } from '../../core/compile/compile.ts';
import type { TargetDoc } from '../../core/documents/document.ts';
import { suggest } from '../../core/documents/problem.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import type { PauseSubject, SubjectNames } from '../../core/pause.ts';
import { dayOf } from '../../core/render/wording.ts';
import type { Address, Cloud } from '../../core/resource.ts';
import { messageOf, printable } from '../../core/text.ts';
import { type Estate, openEstate } from '../../estate/load.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { SpecTree } from '../../ports/sources.ts';
import type { CliDependencies, Context, SpecsOptions } from '../context.ts';
import { UserError } from '../errors.ts';
import { hasErrors, problemCount, problemText } from '../output/problems.ts';

export interface EstateSelection {
  readonly dir: string;
  readonly targets: readonly string[];
  readonly allowEndpoint: boolean;
  /** That lies over the base of the specs. */
  readonly overlay?: string;
  /** A commit of the folder's repository; absent: the folder as it is. */
  readonly ref?: string;
}

/** An estate as the command line works on it. `secrets`: those that observing it may resolve. */
export interface LocalEstate extends Estate {
  readonly secrets: Secrets;
}

/** Reads, checks and compiles the specs; refuses a wrong selection before any cloud is called. */
export const readEstate = async (selection: EstateSelection, context: Context): Promise<LocalEstate> =>
  compileEstate(await readValidSpecs(selection.dir, selection, context), selection, context);

/** Compiles specs that have no error. */
export async function compileEstate(
  tree: SpecTree,
  { dir, targets: names, allowEndpoint }: EstateSelection,
  { dependencies, clock }: Context,
): Promise<LocalEstate> {
  const targets = ofKind(tree.documents, 'Target').map(({ value }) => value);
  refuseUnknown(names, targets);
  const today = dayOf(clock.now());
  const opened = await openEstate(tree, (cloud) => providerFor(cloud, dependencies), today);
  const selected = opened.compiled.scopes.filter((scope) => isSelected(scope, names));
  const scopes = selected.map((scope) => regionsFromHere(scope, dir));
  if (!allowEndpoint) refuseEndpoints({ tree, scopes, dir });
  return { ...opened, dir, scopes, secrets: dependencies.secrets };
}

async function providerFor(name: Cloud, dependencies: CliDependencies): Promise<Provider> {
  try {
    return await dependencies.provider(name);
  } catch (cause) {
    throw new UserError(`The cloud ${name} is not supported.`, {
      why: messageOf(cause),
      next: 'Remove its targets from the specs, or use a version that supports this cloud.',
      cause,
    });
  }
}

const isSelected = ({ targets }: CompiledScope, names: readonly string[]): boolean =>
  names.length === 0 || targets.some(({ metadata }) => names.includes(metadata.name));

/** Places of regions by the path that a person sees from where the question was asked. */
const regionsFromHere = (scope: CompiledScope, dir: string): CompiledScope => ({
  ...scope,
  regions: scope.regions.map(({ region, at }) => ({ region, at: { ...at, file: join(dir, at.file) } })),
});

function refuseUnknown(names: readonly string[], targets: readonly TargetDoc[]): void {
  const known = targets.map(({ metadata }) => metadata.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new UserError(`There is no target ${unknown.join(', ')}.`, {
    next: `Name one of those in the specs: --target ${known.join(' --target ')}`,
  });
}

/** An endpoint decides where credentials are sent: the user says so with a flag, a spec alone cannot. */
function refuseEndpoints({ tree, scopes, dir }: Pick<Estate, 'tree' | 'scopes' | 'dir'>): void {
  const used = new Set(scopes.flatMap(({ targets }) => targets.map(({ metadata }) => metadata.name)));
  const document = ofKind(tree.documents, 'Target').find(
    ({ value }) => value.spec.endpoint !== undefined && used.has(value.metadata.name),
  );
  if (document === undefined) return;
  const { file, line } = document.at(['spec', 'endpoint']);
  throw new UserError(`The target ${document.value.metadata.name} has its own endpoint.`, {
    where: `${join(dir, file)}:${line}: ${document.value.spec.endpoint}`,
    why: 'Calls and credentials would go to this endpoint instead of the cloud.',
    next: 'If you trust it, such as a sandbox, add --allow-endpoint.',
  });
}

/** The specs of a folder with all their problems; a folder that is not there is an error. */
export async function readSpecs(
  dir: string,
  options: SpecsOptions,
  context: Pick<Context, 'readSpecs'>,
): Promise<SpecTree> {
  const tree = await readAt(dir, options, context);
  const unreadable = tree.problems.find(({ code, at }) => code === 'unreadable' && at.file === '');
  if (unreadable === undefined) return tree;
  throw new UserError(`The folder of specs "${dir}" cannot be read${inCommit(options)}.`, {
    why: unreadable.message,
    next: 'Run this where your specs/ folder is, or name the folder: setpoint <command> DIR',
  });
}

async function readAt(
  dir: string,
  options: SpecsOptions,
  { readSpecs: read }: Pick<Context, 'readSpecs'>,
): Promise<SpecTree> {
  if (options.ref === undefined) return read(dir, options);
  try {
    return await read(dir, options);
  } catch (cause) {
    const why = messageOf(cause);
    throw new UserError(`The specs of ${options.ref} cannot be read.`, { why, cause });
  }
}

const inCommit = ({ ref }: SpecsOptions): string => (ref === undefined ? '' : ` in ${ref}`);

/** The specs of a folder, valid: with an error in them nothing may be planned. */
export async function readValidSpecs(
  dir: string,
  options: SpecsOptions,
  context: Pick<Context, 'readSpecs'>,
): Promise<SpecTree> {
  const tree = await readSpecs(dir, options, context);
  refuseInvalid(tree, dir, options);
  return tree;
}

/** `dir`: goes before the paths of files. */
export function refuseInvalid(tree: SpecTree, dir: string, options: SpecsOptions = {}): void {
  if (!hasErrors(tree.problems)) return;
  const errors = tree.problems.filter(({ severity }) => severity === 'error');
  throw new UserError(`The specs${inCommit(options)} have ${problemCount(errors)}, so nothing is planned from them.`, {
    where: `\n${problemText(errors, dir, (_, text) => text).trimEnd()}`,
    next: 'Fix them: `setpoint validate` checks them without calling a cloud. To use the newest generation in the store instead: --active',
  });
}

/**
 * The address that a person means: written whole, or any ending of it that is unique (`instance/web-0`, `web-0`, or the rule `web-https` of a network).
 * Throws with what is near, where nothing or more than one fits.
 */
export function findAddress(given: string, known: ReadonlySet<Address>): Address {
  if (known.has(given)) return given;
  const fits = [...known].filter((address) => address.endsWith(`/${given}`) || address.endsWith(`.${given}`));
  const [only] = fits;
  if (fits.length === 1 && only !== undefined) return only;
  if (fits.length > 1) {
    throw new UserError(`"${given}" matches ${fits.length} addresses.`, {
      next: `Write one of them in full:\n${printable(fits.slice(0, 10)).join('\n')}`,
    });
  }
  const near = suggest(nameIn(given), [...known].map(nameIn));
  throw new UserError(`Nothing here has the address "${given}".`, {
    next: `${near === undefined ? '' : `Did you mean ${near}? `}All addresses: setpoint inventory --refresh --json`,
  });
}

/** The part behind the kind: names of rules hold blocks of addresses, such as `core.web.ingress.tcp.22.0.0.0.0/0`. */
const nameIn = (given: string): string =>
  /(?:^|\/)(?:network|subnet|group|firewall-rule|instance)\/(.+)$/.exec(given)?.[1] ?? given;

/** The same subject by its whole name; an unknown name is an error that lists the known ones. */
export function resolveSubject(given: PauseSubject, names: SubjectNames): PauseSubject {
  if (given.by === 'estate') return given;
  if (given.by === 'address') return { ...given, name: findAddress(given.name, names.address) };
  const known = names[given.by];
  if (known.has(given.name)) return given;
  const near = suggest(given.name, known);
  throw new UserError(`There is no ${given.by} "${given.name}".`, {
    next: `${near === undefined ? '' : `Did you mean ${near}? `}${listed(given.by, known)}`,
  });
}

const listed = (by: string, known: ReadonlySet<string>): string =>
  known.size === 0 ? `There is no ${by}.` : `There are: ${[...known].sort().slice(0, most).join(', ')}`;

const most = 20;
