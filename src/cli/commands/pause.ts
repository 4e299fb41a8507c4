import { type Command, Option } from 'commander';
import type { PauseDraft } from '../../core/pause.ts';
import { formatMoment, heldText } from '../../core/render/wording.ts';
import type { ScopeKey } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Pause } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import { namesIn, scopesOf } from '../../queries/pauses.ts';
import { callsOnTheWay, requestReconciles, scopesRunning } from '../../queries/requests.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { type HeldOptions, subjectGiven, whatGiven, withHeldOptions } from '../estate/held-options.ts';
import { approver } from '../estate/leases.ts';
import { withGivenStore } from '../estate/opened-store.ts';
import { type OverlayOption, overlayOf } from '../estate/overlay-option.ts';
import { foundSubject } from '../estate/subject.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { formatDuration, parseDuration } from '../output/duration.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { heldFlags } from '../output/held-flags.ts';
import { inOrder } from '../output/in-order.ts';
import { onTheWayText } from '../output/on-the-way-text.ts';
import { parseMoment } from '../output/parse-moment.ts';
import { parseReason } from '../output/reason.ts';
import { rendered } from '../server/client.ts';
import { addressOn } from '../server/explanation.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import { type BegunPause, pauseOn } from '../server/pauses.ts';
import { verb } from '../verb.ts';

interface Options extends HeldOptions, OverlayOption, ServedEstateOption {
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
  withServedEstateOption(
    withHeldOptions(
      verb('pause', {
        group: 'Steer',
        summary: 'hold the estate, or a part of it, still for a while',
        about:
          'Workers, and people who apply, leave alone what is paused until it ends or is resumed. Once the answer is there, no call\nthat the pause holds is sent any more; the answer counts the calls that are still on their way. Without options\neverything of the estate is held, for 24 h.',
        examples: [
          ['pause --reason "incident 4711" --for 4h', 'all of it'],
          ['pause --reason "incident 4711" --wait 1m', 'and wait until no call is on its way'],
          ['pause --rollout --owner team-web --reason "launch day"', 'no changes of theirs; drift is still healed'],
          ['pause --healing --address web-0 --reason "debugging"', 'leave what was changed by hand'],
        ],
      }).argument('[dir]', 'folder of specs', 'specs'),
    ),
  )
    .requiredOption('--reason <text>', 'why; others read it, and it is written into the ledger', parseReason)
    .addOption(new Option('--for <duration>', 'how long: 30m, 4h, 2d').argParser(parseDuration).conflicts('until'))
    .addOption(new Option('--until <moment>', 'until when: 2026-12-01T08:00Z').argParser(parseMoment))
    .addOption(
      new Option('--wait <duration>', 'wait so long for calls that are on their way: 30s, 2m').argParser(parseDuration),
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const sides: Sides = { here: ['overlay', 'wait'], there: ['estate'], dir: false };

const defaultMs = 86_400_000;
const longestMs = 366 * 86_400_000;

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const until = endOf(options, context.clock.now());
  const server = await serverFor(command, sides, context);
  if (server !== undefined) {
    const given = subjectGiven(options);
    const of = given.by === 'address' ? { ...given, name: await addressOn(server, given.name, options) } : given;
    const told = await pauseOn(server, {
      what: whatGiven(options),
      of,
      estate: options.estate,
      reason: options.reason,
      until,
    });
    return rendered(server, () => tell(told, options, context));
  }
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withGivenStore(options.dir, context, async (store) => {
    const of = foundSubject(subjectGiven(options), await namesIn(estate, store));
    const draft: PauseDraft = { what: whatGiven(options), of, reason: options.reason, person: approver(), until };
    const begun = await store.fleet.pauses.begin(estate.name, draft);
    // why: what runs may be of newer specs than this folder's, in scopes that it does not know
    const wished = [...new Set([...scopesOf(of, estate), ...(await scopesRunning(estate, store))])];
    await requestReconciles(estate, wished, {
      store,
      reason: `${draft.person} paused ${heldText(draft)}: ${draft.reason}`,
    });
    const onTheWay = await ended(estate.name, scopesOf(of, estate), { store, context, forMs: options.wait ?? 0 });
    return tell({ estate: estate.name, pause: begun, scopes: wished, onTheWay }, options, context);
  });
}

interface Waiting {
  readonly store: Store;
  readonly context: Context;
  readonly forMs: number;
}

const askEveryMs = 250;

/** How many calls are on their way, once none is or `forMs` have gone by. */
async function ended(
  estate: string,
  scopes: readonly ScopeKey[],
  { store, context: { clock, stop }, forMs }: Waiting,
): Promise<number> {
  for (const until = clock.now() + forMs; ; await clock.sleep(askEveryMs, stop)) {
    const { length } = await callsOnTheWay(estate, scopes, store);
    if (length === 0 || clock.now() >= until) return length;
  }
}

function tell(
  { estate, pause: begun, scopes, onTheWay }: BegunPause,
  options: Options,
  { terminal, clock }: Context,
): ExitCode {
  if (options.json) emitJson(terminal, { estate, pause: inOrder(begun), scopes, onTheWay });
  else
    emitText(
      terminal,
      printable(verdictOf(begun, options, clock.now())),
      `${printable(hint(begun))}\n${onTheWayText(onTheWay)}`,
    );
  return exitCodes.done;
}

function endOf({ for: length, until }: Options, now: number): number {
  const end = until ?? now + (length ?? defaultMs);
  if (end <= now) throw new Complaint('That pause would be over already.', { next: 'Name a later end: --for 4h' });
  if (end - now > longestMs)
    throw new Complaint('A pause lasts a year at most.', {
      next: 'What is to stay as it is for good says so in the specs: mode: observe',
    });
  return end;
}

function verdictOf(begun: Pause, options: Options, now: number): string {
  const chosen = options.for !== undefined || options.until !== undefined;
  const length = formatDuration(begun.until - now);
  return `Paused: ${heldText(begun)} until ${formatMoment(begun.until)} (${length}${chosen ? '' : ', as nothing else was said'})`;
}

const hint = (begun: Pause): string => `  To let it go on earlier: setpoint resume${heldFlags(begun)} --reason "…"`;
