import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { messageOf, printable } from '../../core/text.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { type Check, checksOf } from '../local/doctor.ts';
import {
  asName,
  defaultOf,
  estateFile,
  estateText,
  type InitCloud,
  initClouds,
  type NewEstate,
  nameFrom,
  neededFields,
  type PlaceField,
  targetSpec,
} from '../local/init.ts';
import { defineCommand, sameEstate } from '../options.ts';
import { checksText, countProblems } from '../output/checks.ts';
import { count } from '../output/format.ts';
import { paintFor, printJson, printText } from '../output/print.ts';
import { type Conversation, openConversation } from '../prompt.ts';

interface Options extends Readonly<Partial<Record<PlaceField, string>>> {
  readonly cloud?: InitCloud;
  readonly name?: string;
  readonly target?: string;
  /** The URL of the sandbox. */
  readonly sandbox?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
  /** Of the store. */
  readonly dir: string;
}

export const init = (context: Context): Command =>
  defineCommand('init', {
    group: 'Set up',
    summary: 'write an estate with one target, and check it',
    about:
      'Asks for what the flags leave out, and proposes values from the environment and the credentials. Writes one file, estate.yaml, and calls the cloud only to read the account. The target has `mode: observe`: Setpoint writes nothing to the cloud before you change that.\n\nIt overwrites nothing: a folder with specs is refused.',
    examples: [
      ['init', 'ask for cloud, region and account'],
      ['init --cloud aws --region eu-west-1 --yes', 'the account of the credentials'],
      ['init --sandbox --yes', 'the sandbox on this machine'],
    ],
  })
    .argument('[dir]', 'folder of specs', 'specs')
    .addOption(new Option('--cloud <cloud>', 'cloud of the target').choices(initClouds))
    .option('--account <id>', 'AWS account, Google Cloud project or Azure subscription')
    .option('--region <region>', 'region; on Azure the location')
    .option('--zone <zone>', 'zone of the instances, on Google Cloud')
    .option('--resource-group <group>', 'resource group, on Azure')
    .option('--name <estate>', 'name of the estate. Default: the name of the folder')
    .option('--target <name>', 'name of the target. Default: cloud and region')
    .addOption(new Option('--sandbox [url]', 'point the target at the sandbox').preset('http://127.0.0.1:4566'))
    .option('--yes', 'take all proposed values without a question')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  await refuseSpecs(dir, options, context);
  const estate = await answersOf(dir, options, context);
  const text = estateText(estate, dir, context);
  await writeEstate(dir, text);
  const allowEndpoint = estate.target.endpoint !== undefined;
  const checks = await checksOf({ dir, targets: [], allowEndpoint }, options.dir, context);
  print({ estate, dir, checks }, options, context);
  return countProblems(checks) === 0 ? exitCodes.done : exitCodes.error;
}

/** Refuses a folder that has specs or overlays. */
async function refuseSpecs(dir: string, options: Options, { dependencies }: Context): Promise<void> {
  const { files } = await dependencies.readSpecs(dir);
  const [first = (await hasOverlays(dir)) ? 'overlays/' : undefined] = files.map(({ path }) => path);
  if (first === undefined) return;
  const { cloud = 'aws', account = 'ACCOUNT', region = 'REGION', zone, resourceGroup, sandbox: endpoint } = options;
  const name = options.target ?? asName(`${cloud}-${region}`);
  const place = { account, region, zone, resourceGroup };
  const text = dependencies.formatSpecs([targetSpec({ name, cloud, endpoint, ...place })]);
  throw new UserError(`The folder "${dir}" has specs already, so no file is written.`, {
    where: join(dir, first),
    why: '`setpoint init` starts a new estate, and overwrites nothing.',
    next: `Name another folder: setpoint init DIR. Or add a target to these specs by hand:\n---\n${text.trimEnd()}`,
  });
}

async function hasOverlays(dir: string): Promise<boolean> {
  const names: readonly string[] = await readdir(dir).catch(() => []);
  return names.includes('overlays');
}

/** Undefined where neither a person nor the machine knows the answer. */
type Answer = (question: Question) => Promise<string | undefined>;

interface Question {
  readonly text: string;
  readonly flag: string;
  readonly given: string | undefined;
  readonly propose: () => Promise<string | undefined> | string | undefined;
  /** True where the proposal is no guess about a cloud, and holds without a question. */
  readonly optional?: boolean;
}

const fieldTexts: Readonly<Record<PlaceField, readonly [flag: string, text: Readonly<Record<InitCloud, string>>]>> = {
  account: ['--account', { aws: 'AWS account', gcp: 'Google Cloud project', azure: 'Azure subscription' }],
  region: ['--region', { aws: 'Region', gcp: 'Region', azure: 'Location' }],
  zone: ['--zone', { aws: 'Zone', gcp: 'Zone of the instances', azure: 'Zone' }],
  resourceGroup: ['--resource-group', { aws: 'Group', gcp: 'Group', azure: 'Resource group' }],
};

/** The whole estate, or an error that names each missing flag. */
async function answersOf(dir: string, options: Options, context: Context): Promise<NewEstate> {
  const { terminal, signal } = context;
  const isAsking = options.yes !== true && terminal.input !== null;
  const conversation = isAsking ? openConversation(terminal, signal) : undefined;
  const missing: string[] = [];
  const answer = answerBy(conversation, options, missing);
  try {
    return await estateBy(answer, { dir, options, missing }, context);
  } finally {
    conversation?.close();
  }
}

const answerBy =
  (conversation: Conversation | undefined, { yes }: Options, missing: string[]): Answer =>
  async ({ text, flag, given, propose, optional }) => {
    if (given !== undefined) return given;
    const proposed = conversation !== undefined || yes || optional ? await propose() : undefined;
    const answer = conversation === undefined ? proposed : await conversation.ask(text, proposed);
    if (answer === undefined) missing.push(flag);
    return answer;
  };

interface Asking {
  readonly dir: string;
  readonly options: Options;
  /** Flags without a value. */
  readonly missing: readonly string[];
}

async function estateBy(answer: Answer, { dir, options, missing }: Asking, context: Context): Promise<NewEstate> {
  const { sandbox: endpoint, zone, resourceGroup } = options;
  const said = await answer({
    text: `Cloud: ${initClouds.join(', ')}`,
    flag: '--cloud',
    given: options.cloud,
    propose: () => (endpoint === undefined ? undefined : 'aws'),
  });
  const cloud = initClouds.find((one) => one === said);
  if (said !== undefined && cloud === undefined)
    throw new UserError(`There is no cloud "${said}".`, { next: `Name one of ${initClouds.join(', ')}.` });
  const place: Partial<Record<PlaceField, string>> = { zone, resourceGroup };
  for (const field of cloud === undefined ? (['region', 'account'] as const) : neededFields[cloud]) {
    const [flag, texts] = fieldTexts[field];
    place[field] = await answer({
      text: texts[cloud ?? 'aws'],
      flag,
      given: options[field],
      propose: () =>
        cloud === undefined ? undefined : defaultOf(field, { cloud, region: place.region, endpoint }, context),
    });
  }
  if (cloud === undefined || missing.length > 0) throw notAnswered(missing, options);
  const target = await answer({
    ...{ text: 'Name of the target', flag: '--target', given: options.target, optional: true },
    propose: () => asName(`${cloud}-${place.region}`),
  });
  const name = await answer({
    ...{ text: 'Name of the estate', flag: '--name', given: options.name, optional: true },
    propose: () => nameFrom(dir),
  });
  return { name: name ?? '', target: { name: target ?? '', cloud, endpoint, ...place } };
}

function notAnswered(missing: readonly string[], { yes }: Options): UserError {
  const flags = missing.join(', ');
  return new UserError(`A new estate needs ${flags}.`, {
    why: yes
      ? 'Neither the environment nor the credentials give these values.'
      : 'There was no answer, and no terminal to ask on.',
    next: `Add ${flags}${yes ? '' : ', or --yes for the values of the environment and the credentials'}.`,
  });
}

/** Leaves no file behind that it wrote in part only. */
async function writeEstate(dir: string, text: string): Promise<void> {
  const file = join(dir, estateFile);
  try {
    await mkdir(dir, { recursive: true });
    // why: `wx` overwrites nothing, even if somebody wrote the file since the folder was read
    const opened = await open(file, 'wx');
    try {
      await opened.writeFile(text).finally(() => opened.close());
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  } catch (cause) {
    throw new UserError(`The file ${file} was not written.`, {
      why: messageOf(cause),
      next: 'Name a folder that you may write to: setpoint init DIR',
      cause,
    });
  }
}

interface Outcome {
  readonly estate: NewEstate;
  readonly dir: string;
  readonly checks: readonly Check[];
}

function print({ estate, dir, checks }: Outcome, { json }: Options, { terminal }: Context): void {
  const file = join(dir, estateFile);
  const bad = countProblems(checks);
  const next = nextCommands(dir, estate);
  const target = estate.target.name;
  if (json) printJson(terminal, { file, estate: estate.name, target, healthy: bad === 0, checks, next });
  else {
    const paint = paintFor(terminal.out);
    const verdict = `Wrote ${printable(file)}: the estate ${estate.name} with the target ${target}`;
    const fix = `Fix ${count(bad, 'problem')}, and check again with: setpoint doctor${argumentsFor(dir, estate)}. Then:`;
    const body = [
      'The target has mode observe: Setpoint reads the account and writes nothing to it.',
      '',
      checksText(checks, paint).trimEnd(),
      '',
      bad === 0 ? 'Next:' : fix,
      ...next.map((line) => `  ${printable(line)}`),
    ];
    printText(terminal, paint(bad === 0 ? 'good' : 'bad', verdict), body.join('\n'));
  }
}

/** The commands to the first inventory. */
function nextCommands(dir: string, estate: NewEstate): readonly string[] {
  const rest = argumentsFor(dir, estate);
  return [`setpoint import --all${rest}`, `setpoint plan${rest}`];
}

const argumentsFor = (dir: string, { target: { endpoint } }: NewEstate): string =>
  sameEstate(dir, endpoint !== undefined);
