import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Held } from '../../core/pause.ts';
import { formatMoment, goesOnText, heldText } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { Pause } from '../../ports/fleet-state.ts';
import { scopesOf } from '../../queries/pauses.ts';
import { requestReconciles } from '../../queries/requests.ts';
import { renderAnswer } from '../api-client/client.ts';
import { fetchPauses, resumeOnServer } from '../api-client/pauses.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { localUser } from '../local/ledger-access.ts';
import { withExistingStore } from '../local/store.ts';
import {
  defineCommand,
  type OverlayOption,
  overlayOf,
  parseReason,
  resumeLine,
  withOverlayOption,
  withPauseSubject,
} from '../options.ts';
import { count, formatDuration, pauseJson } from '../output/format.ts';
import { printJson, printText, sortKeys } from '../output/print.ts';
import { endText, type PauseStart, startPause, withPauseStartOptions } from './pause.ts';

interface StartOptions {
  readonly hold: Held['what'];
  readonly holdNarrowing?: boolean;
}

interface Options extends OverlayOption, ServerEstateOption {
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

export const incident = (context: Context): Command =>
  defineCommand('incident', {
    group: 'Steer',
    summary: 'hold changes during an incident that you name, and end it',
    about:
      'An incident is a pause with a name. Healing that only narrows traffic goes on. `setpoint status` shows it at the top,\nwith the held work, the other work, and its end.',
    examples: [
      ['incident start db-outage --reason "#4711" --for 4h', 'hold all of the estate, but narrowing traffic'],
      ['incident list', 'the active incidents'],
      ['incident end db-outage --reason "replica promoted"', 'let everything go on'],
    ],
  })
    .addCommand(start(context))
    .addCommand(end(context))
    .addCommand(list(context));

const start = (context: Context): Command =>
  withPauseStartOptions(
    withPauseSubject(
      withOverlayOption(
        defineCommand('start', {
          group: 'Steer',
          summary: 'start an incident, or extend it to a further part of the estate',
          about:
            '`apply` and workers change nothing that it holds, until it ends. Without options it holds the whole estate for 24 h. Start it\nagain under the same name to hold a further owner, target or resource.',
          examples: [
            ['incident start db-outage --reason "#4711" --for 4h', 'all of the estate'],
            ['incident start db-outage --target aws-prod --reason "#4711"', 'only one target'],
            [
              'incident start breach --hold healing --hold-narrowing --reason "#4712"',
              'keep the evidence: heal nothing',
            ],
          ],
        })
          .argument('<name>', 'the name of the incident', parseName)
          .argument('[dir]', 'folder of specs', 'specs'),
      ),
    ),
  )
    .addOption(new Option('--hold <what>', 'what to hold').choices(['healing', 'rollout', 'all']).default('all'))
    .option('--hold-narrowing', 'hold healing that only narrows traffic, too')
    .action(async (name: string, dir: string, _options: StartOptions, command: Command) => {
      const { hold, holdNarrowing } = command.optsWithGlobals<StartOptions>();
      const held = { what: hold, incident: name, ...(holdNarrowing ? {} : { letsNarrow: true }) };
      context.finish(await startPause(dir, command, { held, say: startedText }, context));
    });

const startedText: PauseStart['say'] = (started, options, now) => [
  `Incident ${started.incident}: it holds ${heldText(unnamed(started))} until ${endText(started, options, now)}`,
  `  Goes on: ${goesOnText(started)}`,
  `  To end it: ${resumeLine(started)}`,
];

/** A part of an incident: its end, the work that it holds and that goes on, and the line that ends it. */
export const incidentLines = (pause: Pause, now: number): readonly string[] => [
  `${pause.incident} until ${formatMoment(pause.until)}, in ${formatDuration(pause.until - now)}, by ${pause.person}: ${pause.reason}`,
  `  holds ${heldText(unnamed(pause))}; goes on: ${goesOnText(pause)}`,
  `  ${resumeLine(pause)}`,
];

/** The same without the name, which is said beside it. */
const unnamed = ({ what, of }: Held): Held => ({ what, of });

const end = (context: Context): Command =>
  withServerEstateOption(
    withOverlayOption(
      defineCommand('end', {
        group: 'Steer',
        summary: 'end an incident, and everything that it holds',
        examples: [['incident end db-outage --reason "replica promoted"', 'let everything go on']],
      })
        .argument('<name>', 'the name of the incident', parseName)
        .argument('[dir]', 'folder of specs', 'specs'),
    ),
  )
    .requiredOption(
      '--reason <text>',
      'the reason; others read it, and Setpoint writes it into the ledger',
      parseReason,
    )
    .option('--json', 'one JSON object on stdout')
    .action(async (name: string, dir: string, _options: EndOptions, command: Command) => {
      context.finish(await runEnd(name, dir, command, context));
    });

interface EndOptions extends Options {
  readonly reason: string;
}

const serverSupport: ServerSupport = { localOptions: ['overlay'], serverOptions: ['estate'], takesDir: false };

async function runEnd(name: string, dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<EndOptions>();
  const { reason } = options;
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const { estate } = options;
    refuseUnknown(name, (await fetchPauses(server, { estate })).items);
    const answer = await resumeOnServer(server, { estate, reason, incident: name });
    return renderAnswer(server, () => printEnded(name, answer, options, context));
  }
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withExistingStore(options.dir, context, async (store) => {
    const { pauses } = store.fleet;
    const its = refuseUnknown(name, await pauses.active(estate.name));
    const by = { person: localUser(), reason };
    const ended: Pause[] = [];
    for (const one of new Map(its.map((pause) => [heldText(pause), pause])).values())
      ended.push(...(await pauses.end(estate.name, one, by)));
    const scopes = new Set(ended.flatMap(({ of }) => scopesOf(of, estate)));
    await requestReconciles(estate, [...scopes], { store, reason: `${by.person} ended incident ${name}: ${reason}` });
    return printEnded(name, { estate: estate.name, items: ended }, options, context);
  });
}

function refuseUnknown(name: string, active: readonly Pause[]): readonly Pause[] {
  const its = active.filter((pause) => pause.incident === name);
  if (its.length > 0) return its;
  const names = [...new Set(active.flatMap((pause) => pause.incident ?? []))];
  throw new UserError(`There is no active incident ${name}.`, {
    next: names.length === 0 ? 'No incident is active.' : `Active incidents: ${names.map(printable).join(', ')}`,
  });
}

interface Listed {
  readonly estate: string;
  readonly items: readonly Pause[];
}

function printEnded(name: string, { estate, items }: Listed, { json }: Options, { terminal }: Context): ExitCode {
  if (json) printJson(terminal, { estate, incident: name, pauses: items.map((one) => sortKeys(pauseJson(one))) });
  else printText(terminal, printable(`Ended: incident ${name} (${count(items.length, 'pause')})`));
  return exitCodes.done;
}

const list = (context: Context): Command =>
  withServerEstateOption(
    withOverlayOption(
      defineCommand('list', {
        group: 'Steer',
        summary: 'list the active incidents, with the held work, the other work, and the end',
        examples: [['incident list', 'all of them']],
      }).argument('[dir]', 'folder of specs', 'specs'),
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await runList(dir, command, context));
    });

async function runList(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const listed = await fetchPauses(server, { estate: options.estate });
    return renderAnswer(server, () => printList(listed, options, context));
  }
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  return withExistingStore(options.dir, context, async (store) =>
    printList({ estate: estate.name, items: await store.fleet.pauses.active(estate.name) }, options, context),
  );
}

function printList({ estate, items }: Listed, { json }: Options, { terminal, clock }: Context): ExitCode {
  const its = items.filter((pause) => pause.incident !== undefined);
  const names = new Set(its.map((pause) => pause.incident));
  if (json) printJson(terminal, { estate, incidents: its.map((one) => sortKeys(pauseJson(one))) });
  else
    printText(
      terminal,
      names.size === 0 ? 'Incidents: none' : `Incidents: ${names.size}`,
      printable(its.flatMap((one) => incidentLines(one, clock.now()))).join('\n'),
    );
  return exitCodes.done;
}

/** As the API takes it. */
function parseName(text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(text)) return text;
  throw new InvalidArgumentError('Write a name of 1 to 63 letters, digits, ., - or _.');
}
