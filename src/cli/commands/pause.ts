import { type Command, Option } from 'commander';
import type { PauseDraft } from '../../core/pause.ts';
import { formatMoment, heldText } from '../../core/render/wording.ts';
import type { ScopeKey } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Pause } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import { namesIn, scopesOf } from '../../queries/pauses.ts';
import { callsOnTheWay, requestReconciles, scopesRunning } from '../../queries/requests.ts';
import { renderAnswer } from '../api-client/client.ts';
import { fetchAddress } from '../api-client/explanation.ts';
import { pauseOnServer, type StartedPause } from '../api-client/pauses.ts';
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
  type PauseSubjectOptions,
  parseDuration,
  parseReason,
  parseTimestamp,
  pauseModeOf,
  pauseSubjectOf,
  resumeLine,
  withPauseOptions,
} from '../options.ts';
import { callsInFlightText, formatDuration, pauseJson } from '../output/format.ts';
import { printJson, printText, sortKeys } from '../output/print.ts';

type Options = PauseStartOptions & PauseOptions;

export interface PauseStartOptions extends PauseSubjectOptions, OverlayOption, ServerEstateOption {
  readonly reason: string;
  readonly for?: number;
  readonly until?: number;
  /** For calls on their way, ms. */
  readonly wait?: number;
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

export const pause = (context: Context): Command =>
  withPauseStartOptions(
    withPauseOptions(
      defineCommand('pause', {
        group: 'Steer',
        summary: 'pause an estate, or a part of it, for a while',
        about:
          '`apply` and workers change nothing that is paused, until the pause ends or is resumed. After the answer, Setpoint sends no call\nthat the pause covers; the answer counts the calls that are still in flight. Without options it pauses the whole estate for 24 h.',
        examples: [
          ['pause --reason "incident 4711" --for 4h', 'all of it'],
          ['pause --reason "incident 4711" --wait 1m', 'and wait until no call is in flight'],
          [
            'pause --rollout --owner team-web --reason "launch day"',
            'no spec changes of this owner; Setpoint still corrects drift',
          ],
          ['pause --healing --address web-0 --reason "debugging"', 'keep manual changes'],
        ],
      }).argument('[dir]', 'folder of specs', 'specs'),
    ),
  ).action(async (dir: string, _options: Options, command: Command) => {
    context.finish(await run(dir, command, context));
  });

/** The options of commands that start a pause: reason, end and output. */
export const withPauseStartOptions = (command: Command): Command =>
  withServerEstateOption(command)
    .requiredOption(
      '--reason <text>',
      'the reason; others read it, and Setpoint writes it into the ledger',
      parseReason,
    )
    .addOption(new Option('--for <duration>', 'how long: 30m, 4h, 2d').argParser(parseDuration).conflicts('until'))
    .addOption(new Option('--until <moment>', 'until when: 2026-12-01T08:00Z').argParser(parseTimestamp))
    .addOption(new Option('--wait <duration>', 'wait this long for calls in flight: 30s, 2m').argParser(parseDuration))
    .option('--json', 'one JSON object on stdout');

const serverSupport: ServerSupport = { localOptions: ['overlay', 'wait'], serverOptions: ['estate'], takesDir: false };

const defaultMs = 86_400_000;
const longestMs = 366 * 86_400_000;

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  return startPause(dir, command, { held: { what: pauseModeOf(options) }, say: pausedText }, context);
}

/** A pause, or a part of an incident, and the text about it. */
export interface PauseStart {
  readonly held: Pick<PauseDraft, 'what' | 'incident' | 'letsNarrow'>;
  readonly say: (
    started: Pause,
    options: PauseStartOptions,
    now: number,
  ) => readonly [verdict: string, ...hints: string[]];
}

/** Starts it here or on a server, for the subject and the time of the options. */
export async function startPause(
  dir: string,
  command: Command,
  { held, say }: PauseStart,
  context: Context,
): Promise<ExitCode> {
  const options = command.optsWithGlobals<PauseStartOptions>();
  const until = endOf(options, context.clock.now());
  const given = pauseSubjectOf(options);
  const print = (started: StartedPause): ExitCode => printStarted(started, { say, options }, context);
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const of = given.by === 'address' ? { ...given, name: await fetchAddress(server, given.name, options) } : given;
    const { estate, reason } = options;
    const started = await pauseOnServer(server, { ...held, of, estate, reason, until });
    return renderAnswer(server, () => print(started));
  }
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withExistingStore(options.dir, context, async (store) => {
    const of = resolveSubject(given, await namesIn(estate, store));
    const draft: PauseDraft = { ...held, of, reason: options.reason, person: localUser(), until };
    const started = await store.fleet.pauses.begin(estate.name, draft);
    // why: running work may be of newer specs than this folder's, in scopes that it does not know
    const scopes = [...new Set([...scopesOf(of, estate), ...(await scopesRunning(estate, store))])];
    await requestReconciles(estate, scopes, {
      store,
      reason: `${draft.person} paused ${heldText(draft)}: ${draft.reason}`,
    });
    const inFlight = await ended(estate.name, scopesOf(of, estate), { store, context, forMs: options.wait ?? 0 });
    return print({ estate: estate.name, pause: started, scopes: scopes, inFlight });
  });
}

interface Waiting {
  readonly store: Store;
  readonly context: Context;
  readonly forMs: number;
}

const askEveryMs = 250;

/** The number of running calls, once there are none or `forMs` have gone by. */
async function ended(
  estate: string,
  scopes: readonly ScopeKey[],
  { store, context: { clock, signal }, forMs }: Waiting,
): Promise<number> {
  for (const until = clock.now() + forMs; ; await clock.sleep(askEveryMs, signal)) {
    const { length } = await callsOnTheWay(estate, scopes, store);
    if (length === 0 || clock.now() >= until) return length;
  }
}

interface Printed {
  readonly say: PauseStart['say'];
  readonly options: PauseStartOptions;
}

function printStarted(
  { estate, pause: started, scopes, inFlight }: StartedPause,
  { say, options }: Printed,
  { terminal, clock }: Context,
): ExitCode {
  const [verdict, ...hints] = say(started, options, clock.now());
  if (options.json) printJson(terminal, { estate, pause: sortKeys(pauseJson(started)), scopes, inFlight });
  else printText(terminal, printable(verdict), `${printable(hints).join('\n')}\n${callsInFlightText(inFlight)}`);
  return exitCodes.done;
}

function endOf({ for: length, until }: PauseStartOptions, now: number): number {
  const end = until ?? now + (length ?? defaultMs);
  if (end <= now) throw new UserError('That pause would have ended already.', { next: 'Name a later end: --for 4h' });
  if (end - now > longestMs)
    throw new UserError('A pause lasts a year at most.', {
      next: 'To keep resources unchanged for good, write in the specs: mode: observe',
    });
  return end;
}

const pausedText: PauseStart['say'] = (started, options, now) => [
  `Paused: ${heldText(started)} until ${endText(started, options, now)}`,
  `  To resume earlier: ${resumeLine(started)}`,
];

/** `2026-12-01 08:00 UTC (24 h, the default)` */
export function endText({ until }: Pause, options: PauseStartOptions, now: number): string {
  const chosen = options.for !== undefined || options.until !== undefined;
  return `${formatMoment(until)} (${formatDuration(until - now)}${chosen ? '' : ', the default'})`;
}
