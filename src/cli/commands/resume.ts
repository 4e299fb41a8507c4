import { type Command, Option } from 'commander';
import type { Held } from '../../core/pause.ts';
import { formatMoment, heldText } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { Estate } from '../../estate/load.ts';
import type { By, Pause, Quarantined, StoppedRollout } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import { type Stop, scopesOf, stoppedIn, stopsNamed } from '../../queries/pauses.ts';
import { requestReconciles } from '../../queries/requests.ts';
import { type ApiClient, renderAnswer } from '../api-client/client.ts';
import {
  fetchPauses,
  type PauseList,
  releaseOnServer,
  resumeOnServer,
  resumeRolloutsOnServer,
} from '../api-client/pauses.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate, resolveSubject } from '../local/estate.ts';
import { localUser } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import {
  defineCommand,
  type OverlayOption,
  overlayOf,
  type PauseOptions,
  parseReason,
  pauseModeOf,
  pauseSubjectOf,
  resumeLine,
  withPauseOptions,
} from '../options.ts';
import { count, pauseJson } from '../output/format.ts';
import { printJson, printText, sortKeys } from '../output/print.ts';

interface Options extends PauseOptions, OverlayOption, ServerEstateOption {
  readonly reason: string;
  readonly all?: boolean;
  readonly rolloutOf?: string;
  readonly quarantined?: string;
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

const wholes = ['all', 'rolloutOf', 'quarantined'];

export const resume = (context: Context): Command =>
  withServerEstateOption(
    withPauseOptions(
      defineCommand('resume', {
        group: 'Steer',
        summary: 'resume paused, stopped or quarantined work',
        about:
          'Ends the pauses with exactly these options; `setpoint status` prints the line to paste. Without options it ends the\npauses of the whole estate.',
        examples: [
          ['resume --reason "incident is over"', 'the pause of the whole estate'],
          ['resume --owner team-web --rollout --reason "launched"', 'exactly that pause'],
          ['resume --rollout-of web --reason "image fixed"', 'a stopped rollout'],
          ['resume --quarantined aws/1111/eu-west-1 --reason "fixed in 1.2"', 'a scope with failed reconciles'],
        ],
      }).argument('[dir]', 'folder of specs', 'specs'),
      wholes,
    ),
  )
    .requiredOption(
      '--reason <text>',
      'the reason; others read it, and Setpoint writes it into the ledger',
      parseReason,
    )
    .addOption(new Option('--all', 'end every pause, but those of incidents').conflicts(['rolloutOf', 'quarantined']))
    .addOption(
      new Option('--rollout-of <document>', 'resume its stopped rollout; `all`: every one').conflicts('quarantined'),
    )
    .option('--quarantined <scope>', 'reconcile this scope again')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const serverSupport: ServerSupport = { localOptions: ['overlay'], serverOptions: ['estate'], takesDir: false };

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const answer = await resumedOn(server, options);
    return renderAnswer(server, () => print(answer.estate, answer.resumed(), options, context));
  }
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withExistingStore(options.dir, context, async (store) =>
    print(estate.name, await resumed(options, estate, store), options, context),
  );
}

function print(estate: string, [verdict, said]: Resumed, { json }: Options, { terminal }: Context): ExitCode {
  if (json) printJson(terminal, { estate, ...sortKeys(said) });
  else printText(terminal, printable(`Resumed: ${verdict}`));
  return exitCodes.done;
}

/** `resumed`: from the answer of the server. */
interface PlanReport {
  readonly estate: string;
  resumed(): Resumed;
}

async function resumedOn(server: ApiClient, options: Options): Promise<PlanReport> {
  const { estate: named, reason, rolloutOf, quarantined } = options;
  if (rolloutOf !== undefined) {
    const { estate, rollouts } = await resumeRolloutsOnServer(server, { estate: named, reason, rolloutOf });
    return { estate, resumed: () => rolloutsText(rollouts) };
  }
  if (quarantined !== undefined) {
    const { estate, released } = await releaseOnServer(server, { estate: named, reason, quarantined });
    return { estate, resumed: () => releasedText(released) };
  }
  const { estate, items } = await endedOn(server, options);
  return { estate, resumed: () => endedText(items) };
}

/** Checks here that the named subject is held, so that the messages are the same. */
async function endedOn(server: ApiClient, options: Options): Promise<PauseList> {
  const { estate, reason, all } = options;
  const active = await fetchPauses(server, { estate });
  if (active.items.length === 0) return active;
  if (all) return resumeOnServer(server, { estate, reason, all });
  const { what, of } = chosen(options, active.items);
  return resumeOnServer(server, { estate, reason, what, of });
}

type Resumed = readonly [verdict: string, said: object];

async function resumed(options: Options, estate: Estate, store: Store): Promise<Resumed> {
  const by = { person: localUser(), reason: options.reason };
  if (options.rolloutOf !== undefined)
    return rolloutsText(await resumeRollouts(options.rolloutOf, { estate, store, by }));
  if (options.quarantined !== undefined)
    return releasedText((await releaseQuarantine(options.quarantined, { estate, store, by })).scope);
  return endedText(await endPauses(options, estate, store));
}

function rolloutsText(rollouts: readonly StoppedRollout[]): Resumed {
  const names = rollouts.map(({ document }) => document).join(', ');
  return [
    rollouts.length === 0 ? 'no rollout was stopped' : `the rollout of ${names}`,
    { rollouts: rollouts.map(rolloutJson) },
  ];
}

const rolloutJson = ({ document, generation, why }: StoppedRollout) => ({ document, generation, reason: why });

const releasedText = (scope: string): Resumed => [`${scope} is out of quarantine`, { released: scope }];

function endedText(pauses: readonly Pause[]): Resumed {
  const subjects = [...new Set(pauses.map(heldText))].join(', ');
  if (pauses.length === 0) return ['nothing was paused', { pauses: [] }];
  return [`${subjects} (${count(pauses.length, 'pause')} ended)`, { pauses: pauses.map(pauseJson) }];
}

async function endPauses(options: Options, estate: Estate, store: Store): Promise<readonly Pause[]> {
  const active = await store.fleet.pauses.active(estate.name);
  if (active.length === 0) return [];
  const by = { person: localUser(), reason: options.reason };
  const ended: Pause[] = [];
  const outside = active.filter(({ incident }) => incident === undefined);
  for (const held of options.all ? distinct(outside) : [chosen(options, active)])
    ended.push(...(await store.fleet.pauses.end(estate.name, held, by)));
  const scopes = new Set(ended.flatMap(({ of }) => scopesOf(of, estate)));
  await requestReconciles(estate, [...scopes], { store, reason: `${by.person} resumed: ${by.reason}` });
  return ended;
}

const distinct = (pauses: readonly Pause[]): readonly Held[] => [
  ...new Map(pauses.map((pause) => [heldText(pause), pause])).values(),
];

/** Names are those of the pauses: a paused resource may be in no spec any more. */
function chosen(options: Options, active: readonly Pause[]): Held {
  const names = (by: Held['of']['by']) =>
    new Set(active.flatMap(({ of }) => (of.by === by && of.by !== 'estate' ? [of.name] : [])));
  const known = { address: names('address'), owner: names('owner'), target: names('target') };
  const given = pauseSubjectOf(options);
  const isKnown = given.by === 'estate' || known[given.by].size > 0;
  const held: Held = { what: pauseModeOf(options), of: isKnown ? resolveSubject(given, known) : given };
  if (active.some((pause) => heldText(pause) === heldText(held))) return held;
  const lines = active.map((pause) =>
    printable(`${resumeLine(pause)}  # ${pause.person}, until ${formatMoment(pause.until)}: ${pause.reason}`),
  );
  throw new UserError(`No pause covers exactly ${heldText(held)}.`, {
    next: `Name an active one, or all with --all:\n${lines.join('\n')}`,
  });
}

interface Resuming {
  readonly estate: Estate;
  readonly store: Store;
  readonly by: By;
}

/** Lets stopped rollouts go on: of this document, in whichever scope, or `all`. Those that did; none where none had stopped. */
async function resumeRollouts(document: string, { estate, store, by }: Resuming): Promise<readonly StoppedRollout[]> {
  const { rollouts } = store.fleet;
  const stops = await stoppedIn(estate, store);
  if (stops.length === 0) return [];
  const chosen = document === 'all' ? stops : [stopNamed(document, stops)];
  for (const { where, rollout } of chosen) await rollouts.resume(where, by, rollout.document);
  await requestReconciles(estate, [...new Set(chosen.map(({ where }) => where.scope))], {
    store,
    reason: `${by.person} let a rollout go on: ${by.reason}`,
  });
  return chosen.map(({ rollout }) => rollout);
}

/** Whole, or an ending that only one of them has. Of a target's rollout the name is its scope. */
function stopNamed(given: string, stops: readonly Stop[]): Stop {
  const fits = stopsNamed(given, stops);
  const [stop] = fits;
  if (stop !== undefined && fits.length === 1) return stop;
  const lines = stops.map(({ rollout }) => `--rollout-of ${printable(rollout.document)}`);
  throw new UserError(`${fits.length > 1 ? 'More than one' : 'No'} rollout of "${given}" has stopped.`, {
    next: `Name a stopped one, or all:\n${lines.join('\n')}`,
  });
}

/** Lets a scope have reconciles again. */
async function releaseQuarantine(given: string, { estate, store, by }: Resuming): Promise<Quarantined> {
  const { quarantine } = store.fleet;
  const list = await quarantine.list(estate.name);
  const held = list.find(({ scope }) => scope === given);
  if (held === undefined)
    throw new UserError(`${given} is not in quarantine.`, {
      next:
        list.length === 0
          ? 'No scope is in quarantine.'
          : `Scopes in quarantine: ${list.map(({ scope }) => scope).join(', ')}`,
    });
  await quarantine.release({ estate: estate.name, scope: held.scope }, by);
  await requestReconciles(estate, [held.scope], {
    store,
    reason: `${by.person} released it from quarantine: ${by.reason}`,
  });
  return held;
}
