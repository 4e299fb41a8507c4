import { Command, InvalidArgumentError, Option } from 'commander';
import type { Allowance } from '../core/limits.ts';
import type { Held, PauseSubject } from '../core/pause.ts';
import { printable, shellWord } from '../core/text.ts';
import type { EstateSelection } from './local/estate.ts';

/** Headings of the help, in its order. */
const commandGroups = ['Specs', 'Change', 'Steer', 'Look', 'Own', 'Run', 'Server', 'Set up'] as const;

interface CommandHelp {
  readonly group: (typeof commandGroups)[number];
  readonly summary: string;
  /** Below the summary in `--help`: behaviour, not syntax. A single line break counts as a space, an empty line parts paragraphs. */
  readonly about?: string;
  /** Each a whole command line after `setpoint `, and its purpose. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
}

/** A command without its arguments, options and action. */
export function defineCommand(name: string, text: CommandHelp): Command {
  const about = text.about === undefined ? text.summary : `${text.summary}\n\n${flowing(text.about)}`;
  return new Command(name)
    .helpGroup(`${text.group}:`)
    .summary(text.summary)
    .description(about)
    .addHelpText('after', `\nExamples:\n${examples(text.examples)}`);
}

/** Commander keeps each line break that it is given, and wraps to the terminal besides. */
const flowing = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');

function examples(lines: CommandHelp['examples']): string {
  const width = Math.max(...lines.map(([line]) => line.length));
  return lines.map(([line, purpose]) => `  setpoint ${line.padEnd(width)}  # ${purpose}\n`).join('');
}

/** The options of every command that reads clouds. `dir` is the store's folder, an option of the program itself. */
export interface EstateOptions extends OverlayOption {
  readonly target: readonly string[];
  readonly allowEndpoint?: boolean;
  readonly dir: string;
}

/** The folder of the store and its keys, unless `--dir` names another one. */
export const storeFolder = '.setpoint';

/** `dir`: the folder of the store, an option of the program itself. */
export interface StoreOptions {
  readonly dir: string;
}

export const withEstateOptions = (command: Command): Command =>
  targetOptions(command.argument('[dir]', 'folder of specs', 'specs'));

/** The same folder and endpoints for the next command, as a person types them. */
export const sameEstate = (dir: string, allowEndpoint: boolean): string =>
  `${dir === 'specs' ? '' : ` ${quoted(dir)}`}${allowEndpoint ? ' --allow-endpoint' : ''}`;

/** Selects the estate of this command in the next one. `active`, `activeOf`: the specs in the store, and no folder. */
export interface NextEstate extends OverlayOption {
  /** Of the specs. */
  readonly dir: string;
  /** The folder of the store. */
  readonly store?: string | undefined;
  readonly allowEndpoint: boolean;
  readonly active?: boolean | undefined;
  readonly activeOf?: string | undefined;
}

export const allowSharedScopesText = 'begin in scopes where another estate of the store owns resources';

/** Completes suggested commands. */
export type Complete = (line: string) => string;

/** A suggested command with the options that make it work on this store, and on this estate if its verb reads specs. */
export function completeCommand(line: string, next: NextEstate): string {
  const { store = storeFolder } = next;
  const suggestion = withSpecs(line, next);
  return store === storeFolder || !line.startsWith('setpoint ') ? suggestion : `${suggestion} --dir ${quoted(store)}`;
}

function withSpecs(line: string, next: NextEstate): string {
  const { dir, active, activeOf, overlay } = next;
  const verb = /^setpoint (\w+)/.exec(line)?.[1] ?? '';
  const takes = specVerbs.get(verb);
  if (takes === undefined) return line;
  const allowEndpoint = next.allowEndpoint && verb !== 'status';
  if (activeOf !== undefined) return `${line} --active-of ${quoted(activeOf)}${sameEstate('specs', allowEndpoint)}`;
  if (active) return `${line} --active${sameEstate('specs', allowEndpoint)}`;
  const layer = overlay === undefined ? '' : ` --overlay ${quoted(overlay)}`;
  const folder = takes === 'option' && dir !== 'specs' ? ` --specs ${quoted(dir)}` : '';
  return `${line}${folder}${sameEstate(takes === 'option' ? 'specs' : dir, allowEndpoint)}${layer}`;
}

/** The verbs of suggested commands that read specs, and the way in which each takes their folder. `status` alone calls no cloud. */
const specVerbs: ReadonlyMap<string, 'argument' | 'option'> = new Map([
  ...(['plan', 'apply', 'approve', 'drift', 'inventory', 'status'] as const).map((verb) => [verb, 'argument'] as const),
  ...(['explain', 'who', 'prune'] as const).map((verb) => [verb, 'option'] as const),
]);

/** For the options that the user gave, those of the program included. The result is safe to print. */
export const completeFor = (
  dir: string,
  { dir: store, ...options }: Partial<Omit<NextEstate, 'dir' | 'store'> & StoreOptions>,
): Complete => completeOn({ ...options, dir, store, allowEndpoint: options.allowEndpoint === true });

/** The result is safe to print. */
export const completeOn =
  (next: NextEstate): Complete =>
  (line) =>
    printable(completeCommand(line, next));

/** A suggested command as it is: of a server, or where nothing is known of the estate. */
export const asWritten: Complete = (line) => line;

/** For commands whose arguments are addresses. */
export const withSpecsOption = (command: Command): Command =>
  targetOptions(command.option('--specs <folder>', 'folder of specs', 'specs'));

const targetOptions = (command: Command): Command =>
  withOverlayOption(command)
    .option('--target <name>', 'only this target; repeatable', collect, [])
    .option('--allow-endpoint', 'allow targets with an `endpoint`, such as the sandbox');

/** A parser of repeatable options. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export const selectionOf = (
  dir: string,
  { target, allowEndpoint = false, overlay }: EstateOptions,
): EstateSelection => ({
  dir,
  targets: target,
  allowEndpoint,
  ...overlayOf({ overlay }),
});

/** Of every command that reads specs. */
export interface OverlayOption {
  readonly overlay?: string;
}

export const withOverlayOption = (command: Command): Command =>
  command.option('--overlay <name>', 'apply overlays/<name> to the base of the specs');

/** The key, or no key. */
export const overlayOf = ({ overlay }: { readonly overlay?: string | undefined }): OverlayOption =>
  overlay === undefined ? {} : { overlay };

/** Options of commands that a limit may hold back. `says`: the help of one, about what it lets pass. */
export const withAllowances = (command: Command, says: (subject: string) => string): Command =>
  command
    .option('--allow-deletes <n>', says('deletes and replaces'), integerBetween(0, 1_000_000))
    .option('--allow-creates <n>', says('new machines'), integerBetween(0, 1_000_000))
    .option('--allow-closures <n>', says('removals of unmanaged rules'), integerBetween(0, 1_000_000))
    .option('--allow-cost <amount>', 'a monthly cost of the estate up to this amount', positiveNumber);

/** The options above, as commander names them. */
export const allowanceOptions: readonly (keyof Allowance)[] = [
  'allowDeletes',
  'allowCreates',
  'allowClosures',
  'allowCost',
];

/** The options that `pause` and `resume` share: mode and subject. */
export interface PauseOptions extends PauseSubjectOptions {
  readonly healing?: boolean;
  readonly rollout?: boolean;
}

export interface PauseSubjectOptions {
  readonly address?: string;
  readonly owner?: string;
  readonly target?: string;
}

/** One of each at most. `others`: options that say something else than these. */
export function withPauseOptions(command: Command, others: readonly string[] = []): Command {
  const option = (flags: string, text: string, against: readonly string[]): Option =>
    new Option(flags, text).conflicts([...against, ...others]);
  return withPauseSubject(
    withOverlayOption(command)
      .addOption(option('--healing', 'only corrections of drift', ['rollout']))
      .addOption(option('--rollout', 'only changes of the specs', ['healing'])),
    others,
  );
}

/** One of them at most. */
export function withPauseSubject(command: Command, others: readonly string[] = []): Command {
  const option = (flags: string, text: string, against: readonly string[]): Option =>
    new Option(flags, text).conflicts([...against, ...others]);
  return command
    .addOption(
      option('--address <address>', 'only this resource, or all resources of this document', ['owner', 'target']),
    )
    .addOption(option('--owner <name>', 'only resources of this owner', ['address', 'target']))
    .addOption(option('--target <name>', 'only resources of this target', ['address', 'owner']));
}

/** The subject as it was given, without a check that it exists. */
export function pauseSubjectOf({ address, owner, target }: PauseSubjectOptions): PauseSubject {
  if (address !== undefined) return { by: 'address', name: address };
  if (owner !== undefined) return { by: 'owner', name: owner };
  return target === undefined ? { by: 'estate' } : { by: 'target', name: target };
}

export function pauseModeOf({ healing, rollout }: PauseOptions): Held['what'] {
  if (healing) return 'healing';
  return rollout ? 'rollout' : 'all';
}

/** The options that name exactly this: ` --healing --owner team-web`. */
function pauseFlags({ what, of }: Held): string {
  const flag = what === 'all' ? '' : ` --${what}`;
  return of.by === 'estate' ? flag : `${flag} --${of.by} ${quoted(of.name)}`;
}

/** The command that ends this: a pause by its options, an incident by its name. */
export const resumeLine = (held: Held): string =>
  held.incident === undefined
    ? `setpoint resume${pauseFlags(held)} --reason "…"`
    : `setpoint incident end ${quoted(held.incident)} --reason "…"`;

/** As one word of a shell. */
export const quoted = (name: string): string => shellWord(name);

/** The reason for a person's decision: one line, for the ledger and for screens. A parser of options. */
export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '') throw new InvalidArgumentError('Add a reason: others will read it.');
  if (reason.length > longest || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(reason))
    throw new InvalidArgumentError(
      `Write one line of at most ${longest} characters, without control or direction characters.`,
    );
  return reason;
}

const longest = 500;

/** Parsers of options: a whole number from `least` to `most`. */
export const integerBetween =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };

/** A number above nought, such as 0.5 or 60. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Write a number above 0, such as 0.5 or 60.');
}

/** A part of a whole, from `least` to `most`. */
export const numberBetween =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d*\.?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write a number from ${least} to ${most}, such as 0.1.`);
  };

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `500ms`, `30s`, `5m`, `2h`, `1d` as milliseconds; a bare 0 needs no unit. Used as a parser of options. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (text === '0') return 0;
  if (!match) throw new InvalidArgumentError('Write a number and a unit: 500ms, 30s, 5m, 2h or 1d.');
  const unit = match[2] as keyof typeof unitMs; // why: the pattern admits these five only
  return Number(match[1]) * unitMs[unit];
}

/** Reads `2026-12-01T08:00Z` or `…+01:00` as milliseconds since the epoch. A parser of options. */
export function parseTimestamp(text: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Write a moment with its time zone: 2026-12-01T08:00Z or 2026-12-01T09:00+01:00.');
  return at;
}
