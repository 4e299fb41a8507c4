import { type Command, Option } from 'commander';
import type { Held } from '../../core/pause.ts';
import { formatMoment, heldText } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { Pause, StoppedRollout } from '../../ports/fleet-state.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { scopesOf } from '../../queries/pauses.ts';
import { requestReconciles } from '../../queries/requests.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { type HeldOptions, subjectGiven, whatGiven, withHeldOptions } from '../estate/held-options.ts';
import { approver } from '../estate/leases.ts';
import { withGivenStore } from '../estate/opened-store.ts';
import { type OverlayOption, overlayOf } from '../estate/overlay-option.ts';
import { releaseQuarantine, resumeRollouts } from '../estate/resume-fleet.ts';
import { foundSubject } from '../estate/subject.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { heldFlags } from '../output/held-flags.ts';
import { inOrder } from '../output/in-order.ts';
import { parseReason } from '../output/reason.ts';
import { type Client, rendered } from '../server/client.ts';
import { type ServedEstateOption, type Sides, serverFor, withServedEstateOption } from '../server/option.ts';
import { type PausesTold, pausesOn, resumeOn } from '../server/pauses.ts';
import { releaseOn, resumeRolloutsOn } from '../server/resumes.ts';
import { verb } from '../verb.ts';

interface Options extends HeldOptions, OverlayOption, ServedEstateOption {
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
  withServedEstateOption(
    withHeldOptions(
      verb('resume', {
        group: 'Steer',
        summary: 'let go on what is paused, what stopped in a rollout, or what is in quarantine',
        about:
          'Ends the pauses that hold exactly this: name it as it was named when it was paused (`setpoint status` has the line to\npaste). Without options: those of everything of the estate.',
        examples: [
          ['resume --reason "incident is over"', 'what `pause` without options held'],
          ['resume --owner team-web --rollout --reason "launched"', 'exactly that pause'],
          ['resume --rollout-of web --reason "image mended"', 'a progressive rollout that stopped'],
          ['resume --quarantined aws/1111/eu-west-1 --reason "fixed in 1.2"', 'a scope whose passes failed'],
        ],
      }).argument('[dir]', 'folder of specs', 'specs'),
      wholes,
    ),
  )
    .requiredOption('--reason <text>', 'why; others read it, and it is written into the ledger', parseReason)
    .addOption(new Option('--all', 'end every pause').conflicts(['rolloutOf', 'quarantined']))
    .addOption(
      new Option('--rollout-of <document>', 'let its stopped rollout go on; `all`: every one').conflicts('quarantined'),
    )
    .option('--quarantined <scope>', 'let this scope have passes again')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const sides: Sides = { here: ['overlay'], there: ['estate'], dir: false };

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await serverFor(command, sides, context);
  if (server !== undefined) {
    const told = await resumedOn(server, options);
    return rendered(server, () => tell(told.estate, told.resumed(), options, context));
  }
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withGivenStore(options.dir, context, async (store) =>
    tell(estate.name, await resumed(options, estate, store), options, context),
  );
}

function tell(estate: string, [verdict, said]: Resumed, { json }: Options, { terminal }: Context): ExitCode {
  if (json) emitJson(terminal, { estate, ...inOrder(said) });
  else emitText(terminal, printable(`Resumed: ${verdict}`));
  return exitCodes.done;
}

/** `resumed`: read of what the server answered. */
interface Told {
  readonly estate: string;
  resumed(): Resumed;
}

async function resumedOn(server: Client, options: Options): Promise<Told> {
  const { estate: named, reason, rolloutOf, quarantined } = options;
  if (rolloutOf !== undefined) {
    const { estate, rollouts } = await resumeRolloutsOn(server, { estate: named, reason, rolloutOf });
    return { estate, resumed: () => rolloutsText(rollouts) };
  }
  if (quarantined !== undefined) {
    const { estate, released } = await releaseOn(server, { estate: named, reason, quarantined });
    return { estate, resumed: () => releasedText(released) };
  }
  const { estate, items } = await endedOn(server, options);
  return { estate, resumed: () => endedText(items) };
}

/** Whether what is named is held is found here, so that what is said of it is the same. */
async function endedOn(server: Client, options: Options): Promise<PausesTold> {
  const { estate, reason, all } = options;
  const inForce = await pausesOn(server, { estate });
  if (inForce.items.length === 0) return inForce;
  if (all) return resumeOn(server, { estate, reason, all });
  const { what, of } = chosen(options, inForce.items);
  return resumeOn(server, { estate, reason, what, of });
}

type Resumed = readonly [verdict: string, said: object];

async function resumed(options: Options, estate: Estate, store: Store): Promise<Resumed> {
  const by = { person: approver(), reason: options.reason };
  if (options.rolloutOf !== undefined)
    return rolloutsText(await resumeRollouts(options.rolloutOf, { estate, store, by }));
  if (options.quarantined !== undefined)
    return releasedText((await releaseQuarantine(options.quarantined, { estate, store, by })).scope);
  return endedText(await endPauses(options, estate, store));
}

function rolloutsText(rollouts: readonly StoppedRollout[]): Resumed {
  const names = rollouts.map(({ document }) => document).join(', ');
  return [rollouts.length === 0 ? 'no rollout had stopped' : `the rollout of ${names}`, { rollouts }];
}

const releasedText = (scope: string): Resumed => [`${scope} is out of quarantine`, { released: scope }];

function endedText(pauses: readonly Pause[]): Resumed {
  const subjects = [...new Set(pauses.map(heldText))].join(', ');
  if (pauses.length === 0) return ['nothing was paused', { pauses }];
  return [`${subjects} (${count(pauses.length, 'pause')} ended)`, { pauses }];
}

async function endPauses(options: Options, estate: Estate, store: Store): Promise<readonly Pause[]> {
  const inForce = await store.fleet.pauses.inForce(estate.name);
  if (inForce.length === 0) return [];
  const by = { person: approver(), reason: options.reason };
  const ended: Pause[] = [];
  for (const held of options.all ? distinct(inForce) : [chosen(options, inForce)])
    ended.push(...(await store.fleet.pauses.end(estate.name, held, by)));
  const scopes = new Set(ended.flatMap(({ of }) => scopesOf(of, estate)));
  await requestReconciles(estate, [...scopes], { store, reason: `${by.person} resumed: ${by.reason}` });
  return ended;
}

const distinct = (pauses: readonly Pause[]): readonly Held[] => [
  ...new Map(pauses.map((pause) => [heldText(pause), pause])).values(),
];

/** Names are those of the pauses: what was paused may be in no spec any more. */
function chosen(options: Options, inForce: readonly Pause[]): Held {
  const names = (by: Held['of']['by']) =>
    new Set(inForce.flatMap(({ of }) => (of.by === by && of.by !== 'estate' ? [of.name] : [])));
  const known = { address: names('address'), owner: names('owner'), target: names('target') };
  const given = subjectGiven(options);
  const isKnown = given.by === 'estate' || known[given.by].size > 0;
  const held: Held = { what: whatGiven(options), of: isKnown ? foundSubject(given, known) : given };
  if (inForce.some((pause) => heldText(pause) === heldText(held))) return held;
  const lines = inForce.map((pause) =>
    printable(
      `setpoint resume${heldFlags(pause)} --reason "…"  # ${pause.person}, until ${formatMoment(pause.until)}: ${pause.reason}`,
    ),
  );
  throw new Complaint(`No pause holds exactly ${heldText(held)}.`, {
    next: `Name one that is in force, or all with --all:\n${lines.join('\n')}`,
  });
}
