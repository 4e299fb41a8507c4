import type { Command } from 'commander';
import { zonedMoment } from '../../core/change-windows.ts';
import { looserGuardsHint } from '../../core/loosened-guards.ts';
import { baseRevision } from '../../core/patch.ts';
import { sourceJson } from '../../core/render/plan-json.ts';
import { formatMoment, heldText, shortRevision, writerText } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { ttlText } from '../../core/ttl.ts';
import { type Estate, withActiveRevision } from '../../estate/load.ts';
import {
  type EstateStatus,
  estateStatusOf,
  type ListedLifetime,
  type PolicyViolations,
  type ScopeStatus,
} from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { readEstate } from '../local/estate.ts';
import { withExistingStore } from '../local/store.ts';
import {
  type Complete,
  completeOn,
  defineCommand,
  type NextEstate,
  type OverlayOption,
  overlayOf,
  quoted,
  resumeLine,
  withOverlayOption,
} from '../options.ts';
import { approvalsJson } from '../output/approval-text.ts';
import { count, formatDuration, intervalText, pauseJson } from '../output/format.ts';
import { sourceText, unmanagedScopeHint, unmanagedScopeText } from '../output/plan.ts';
import { type Paint, paintFor, printJson, printText, printWithheld } from '../output/print.ts';
import { table } from '../output/table.ts';
import { incidentLines } from './incident.ts';
import { endedPatchJson, endedPatchLine, patchJson, patchLines } from './patch.ts';

interface Options extends OverlayOption {
  readonly json?: boolean;
  readonly active?: boolean;
  readonly activeOf?: string;
  /** The store's folder. */
  readonly dir: string;
}

export const status = (context: Context): Command =>
  withOverlayOption(
    defineCommand('status', {
      group: 'Steer',
      summary: 'show the progress of the newest generation, and its pauses, windows and approvals',
      about:
        'Shows pauses, change windows and freezes, approvals, stopped rollouts, quarantined scopes and busy workers, with the commands that change them.\nIt reads only the store, and calls no cloud.',
      examples: [['status', 'one screen']],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  const found = await withExistingStore(options.dir, context, async (store) => {
    const tree = await withActiveRevision(estate.tree, { estate: estate.name, store });
    return estateStatusOf({ ...estate, tree }, store);
  });
  if (options.json) printJson(terminal, statusJson(found));
  else {
    const { out } = terminal;
    const next = { ...options, dir, store: options.dir, allowEndpoint: hasEndpoint(estate) };
    const complete = completeIn(found, next);
    printWithheld(terminal, found.withheldDrift, complete);
    printText(terminal, ...statusText(found, { now: clock.now(), paint: paintFor(out), width: out.width, next }));
  }
  return exitCodes.done;
}

const hasEndpoint = ({ scopes }: Estate): boolean =>
  scopes.some(({ targets }) => targets.some(({ spec }) => spec.endpoint !== undefined));

/** The same as one object, in the words of the API. */
const statusJson = (status: EstateStatus): object => {
  const { scopes, limited, pauses, quarantined, sources, pin, unmanagedScopes, calendar, breakGlass, ...others } =
    status;
  const { patches, endedPatches, withheldChanges, lifetimes, ...rest } = others;
  return {
    ...rest,
    scopes: scopes.map(({ approvals, stopped, replacements, inGrace, reconcileRequest, ...scope }) => ({
      ...scope,
      inGrace,
      replacements: replacements.map(({ heldBy, ...replacement }) => ({ ...replacement, reason: heldBy })),
      reconcileRequest,
      ...approvalsJson(approvals),
      stoppedRollouts: stopped.map(withReason),
    })),
    withheldByLimit: limited.map(withReason),
    withheldChanges: withheldChanges.map(({ first, ...group }) => ({
      ...group,
      resources: first.map(({ name, ...one }) => ({ address: name, ...one })),
    })),
    unmanagedScopes,
    calendar,
    breakGlass: breakGlass.map(({ person, ...one }) => ({ ...one, actor: person })),
    pauses: pauses.map(pauseJson),
    patches: patches.map(patchJson),
    lifetimes: lifetimes.map(lifetimeJson),
    endedPatches: endedPatches.map(endedPatchJson),
    quarantined: quarantined.map(withReason),
    sources: sources.map(sourceJson),
    pin: pin && { revision: pin.revision, actor: pin.by.person, reason: pin.by.reason, at: pin.at },
  };
};

const lifetimeJson = ({ document, ttlMs, since, until, isOver, endedAt, rest }: ListedLifetime): object => ({
  ...{ document, ttlMs, since, until, expired: isOver, endedAt },
  remaining: rest && { resources: rest.resources, unprovenScopes: rest.unproven },
});

const withReason = <T extends { readonly why: string }>({ why, ...rest }: T) => ({ ...rest, reason: why });

interface How {
  readonly now: number;
  readonly paint: Paint;
  readonly width?: number | undefined;
  /** Absent: the folder `specs`. */
  readonly next?: NextEstate;
}

/** With the active specs where a worker follows a repository: there Setpoint refuses a folder that differs. */
function completeIn({ follower, sources }: EstateStatus, next: NextEstate): Complete {
  const isFollowed = follower !== undefined && sources.some(({ head }) => head?.startsWith('git:'));
  return completeOn({ ...next, active: next.active || isFollowed });
}

/** The verdict in one line, how far each scope is, then each thing that holds or lets pass, with the line that changes it. */
export function statusText(given: EstateStatus, how: How): readonly [verdict: string, body: string] {
  const { now, paint, width, next = { dir: 'specs', allowEndpoint: false } } = how;
  const status = printable(given);
  const complete = completeIn(status, next);
  const body = sectionsOf(status, now, complete).flatMap(([title, lines]) =>
    lines.length === 0 ? [] : ['', paint('strong', title), ...lines.map((line) => `  ${line}`)],
  );
  const scopes = status.scopes.map((one) => [
    one.scope,
    one.criticality,
    intervalText(one.everyMs),
    nextText(one, now),
    progressOf(one, status.generation?.number ?? 0),
  ]);
  const rows = table(['SCOPE', 'CRITICALITY', 'EVERY', 'NEXT', 'APPLIED'], scopes, width).trimEnd();
  const top = [...folderLines(status, completeOn(next)), rows, ...leftLines(status, complete)];
  return [paint('strong', verdictOf(status)), [...top, ...body].join('\n')];
}

function verdictOf(status: EstateStatus): string {
  const { estate, generation, pin, scopes, limited, pauses, quarantined, unmanagedScopes } = status;
  const sum = (of: (scope: ScopeStatus) => number): number => scopes.reduce((all, scope) => all + of(scope), 0);
  const some = (n: number, one: string, many?: string): readonly string[] => (n > 0 ? [count(n, one, many)] : []);
  return [
    `Status: ${estate}`,
    generation === undefined
      ? 'no generation yet'
      : `generation ${generation.number} (${shortRevision(generation.revision)})`,
    ...some(new Set(incidentsIn(pauses).map(({ incident }) => incident)).size, 'INCIDENT', 'INCIDENTS'),
    ...some(status.breakGlass.length, 'BREAK GLASS', 'BREAK GLASS'),
    ...some(status.patches.length, 'patch', 'patches'),
    ...some(status.lifetimes.length, 'lifetime'),
    ...some(status.calendar.filter(({ type, active }) => type === 'freeze' && active).length, 'freeze'),
    ...(pin === undefined ? [] : ['Pinned']),
    ...(status.looserGuards.length === 0 ? [] : ['LOOSER GUARDS']),
    ...some(status.violations.resources, 'resource violates policies', 'resources violate policies'),
    ...some(status.orphans, 'orphan'),
    ...(nameAnother(status) ? ['the specs name another estate'] : []),
    ...(followerLines(status).length === 0 ? [] : ['no worker follows the specs']),
    ...some(
      limited.reduce((all, { count: held }) => all + held, 0),
      'change withheld by a limit',
      'changes withheld by a limit',
    ),
    ...some(
      status.withheldChanges.reduce((all, { count: held }) => all + held, 0),
      'change withheld',
      'changes withheld',
    ),
    ...some(pauses.length - incidentsIn(pauses).length, 'pause'),
    ...some(status.fights.length, 'fight'),
    ...some(
      sum(({ approvals }) => approvals.length),
      'approval',
    ),
    ...some(
      sum(({ stopped }) => stopped.length),
      'stopped rollout',
    ),
    ...some(
      sum(({ replacements }) => replacements.length),
      'machine half replaced',
      'machines half replaced',
    ),
    ...some(
      sum(({ inGrace }) => inGrace.length),
      'resource in its grace',
      'resources in their grace',
    ),
    ...some(quarantined.length, 'scope in quarantine', 'scopes in quarantine'),
    ...some(unmanagedScopes.length, 'unmanaged scope', 'unmanaged scopes'),
  ].join(' · ');
}

/** The next observation, at the latest. */
function nextText({ nextAt }: ScopeStatus, now: number): string {
  if (nextAt === undefined) return '';
  return nextAt <= now ? 'now' : `in ${formatDuration(nextAt - now)}`;
}

const folderLines = ({ generation, folder: { dir, revision } }: EstateStatus, complete: Complete): readonly string[] =>
  generation === undefined || baseRevision(generation.revision) === baseRevision(revision)
    ? []
    : [`  The specs in ${dir} (${shortRevision(revision)}) are not active: see ${complete('setpoint plan')}`];

/** Only workers apply a generation fully; an apply by hand may leave something. */
function progressOf({ appliedGeneration, reconcileRequest }: ScopeStatus, newest: number): string {
  const at = appliedGeneration === 0 ? 'no generation yet' : `generation ${appliedGeneration}`;
  const waits = appliedGeneration < newest ? `, ${newest} is not fully applied` : '';
  return `${at}${waits}${reconcileRequest === undefined ? '' : ` · reconcile requested: ${reconcileRequest}`}`;
}

/** Nothing where a reconcile is still to come: that may be all. */
const leftLines = ({ scopes, generation }: EstateStatus, complete: Complete): readonly string[] =>
  scopes.some(
    ({ appliedGeneration, reconcileRequest }) =>
      appliedGeneration < (generation?.number ?? 0) && reconcileRequest === undefined,
  )
    ? [
        `  To see the rest: ${complete('setpoint plan')}`,
        `  To see and approve pending actions: ${complete('setpoint approve --reason "…"')}`,
      ]
    : [];

function sectionsOf(
  status: EstateStatus,
  now: number,
  complete: Complete,
): readonly (readonly [title: string, lines: readonly string[]])[] {
  const { scopes, limited, pauses, quarantined, leases, sources, pin, calendar, breakGlass, fights } = status;
  return [
    ['INCIDENT', incidentsIn(pauses).flatMap((one) => incidentLines(one, now))],
    ['BREAK GLASS', breakGlass.map(breakGlassLine)],
    ['Patches', status.patches.flatMap((one) => patchLines(one, now))],
    ['Patches that ended', status.endedPatches.map(endedPatchLine)],
    ['Lifetimes', status.lifetimes.map((one) => lifetimeLine(one, now))],
    ['Change windows and freezes', calendar.map((one) => calendarLine(one, now))],
    ['Pinned', pin === undefined ? [] : pinLines(pin, complete)],
    ['Specs from', [...sources.map((source) => sourceText(source, now)), ...followerLines(status)]],
    ['Looser guards', looserLines(status)],
    ['Violations of policies', violationLines(status, complete)],
    ['Orphans', orphanLines(status, complete)],
    ['Fights', fights.flatMap((one) => fightLines(one, complete))],
    ['Withheld by a limit', limited.flatMap((one) => limitLines(one, complete))],
    ['Withheld', status.withheldChanges.flatMap((one) => withheldLines(one, complete))],
    ['Paused', pauses.filter(({ incident }) => incident === undefined).flatMap((one) => pauseLines(one, complete))],
    ['Approved', scopes.flatMap((one) => approvalLines(one, complete))],
    ['In their grace', graceLines(scopes, now, complete)],
    ['Half replaced', scopes.flatMap(replacementLines)],
    ['Stopped', scopes.flatMap((one) => stopLines(one, complete))],
    ['In quarantine', quarantined.flatMap((one) => quarantineLines(one, now, complete))],
    ['Unmanaged scopes', status.unmanagedScopes.flatMap((one) => [unmanagedScopeText(one), `  ${unmanagedScopeHint}`])],
    ['Busy', leases.map((lease) => `${lease.scope}: ${lease.holder}, for ${formatDuration(now - lease.since)}`)],
  ];
}

/** `Instance preview ends Sat 2026-11-28 02:00 UTC, in 7 h (ttl 8 h)` */
function lifetimeLine({ document, ttlMs, until, isOver, endedAt, rest }: ListedLifetime, now: number): string {
  const length = `(ttl ${ttlText(ttlMs)})`;
  if (!isOver && endedAt === undefined)
    return `${document} ends ${formatMoment(until)}, in ${formatDuration(Math.max(0, until - now))} ${length}`;
  if (endedAt === undefined)
    return `${document} is over since ${formatMoment(until)} ${length}, and has not ended: no worker runs, or its log says the reason`;
  const next = 'Remove it from the specs, or write another ttl to bring it back';
  return `${document} ended ${formatMoment(endedAt)} ${length}. ${rest === undefined ? next : restText(rest)}`;
}

function restText({ resources, unproven }: NonNullable<ListedLifetime['rest']>): string {
  const left = resources === 0 ? 'Nothing of it is left' : `${count(resources, 'resource is', 'resources are')} left`;
  return unproven.length === 0
    ? `${left}, by complete observations of all its scopes since`
    : `${left}, as far as is known. Not completely observed since: ${unproven.join(', ')}`;
}

/** A source's last state stays in the store when its worker has gone. */
const followerLines = (status: EstateStatus): readonly string[] =>
  status.sources.length === 0 || status.follower !== undefined || nameAnother(status)
    ? []
    : [
        'No worker follows them now, so Setpoint ignores newer commits. Start one:',
        '  setpoint serve (all in one), or setpoint worker; with --repo URL, or a folder of specs',
      ];

/** A worker that follows such specs holds the lease of the other estate: here nobody seems to follow. */
const nameAnother = ({ sources }: EstateStatus): boolean => sources.some(({ code }) => code === 'names-another-estate');

const incidentsIn = (pauses: EstateStatus['pauses']): EstateStatus['pauses'] =>
  pauses.filter(({ incident }) => incident !== undefined);

const breakGlassLine = ({ at, person, reason, changes, seq }: EstateStatus['breakGlass'][number]): string =>
  `${formatMoment(at)}, by ${person}: ${reason} (${count(changes, 'change')}, ledger entry ${seq})`;

/** `window weekdays of target prod: closed, opens Mon 2026-11-30 09:00 Europe/Berlin, in 3 d` */
function calendarLine(one: EstateStatus['calendar'][number], now: number): string {
  const { type, name, timeZone, active, until, reason, target, targets = [], owners = [] } = one;
  const place = [
    ...(target === undefined ? [] : [`of target ${target}`]),
    ...(targets.length === 0 ? [] : [`for ${targets.join(', ')}`]),
    ...(owners.length === 0 ? [] : [`for owner ${owners.join(', ')}`]),
  ];
  const [state, next] = calendarWords[type][active ? 'active' : 'inactive'];
  const change =
    until === undefined ? '' : `, ${next} ${zonedMoment(until, timeZone)}, in ${formatDuration(until - now)}`;
  return `${[type, name, ...place].join(' ')}: ${state}${change}${reason === undefined ? '' : `: ${reason}`}`;
}

const calendarWords = {
  window: { active: ['open', 'closes'], inactive: ['closed', 'opens'] },
  freeze: { active: ['on', 'ends'], inactive: ['not yet', 'begins'] },
} as const;

const pinLines = ({ revision, by, at }: NonNullable<EstateStatus['pin']>, complete: Complete): readonly string[] => [
  `at ${shortRevision(revision)} since ${formatMoment(at)}, by ${by.person}: ${by.reason}`,
  `  ${complete('setpoint unpin --reason "…"')}`,
];

function violationLines({ violations: { policies } }: EstateStatus, complete: Complete): readonly string[] {
  if (policies.length === 0) return [];
  const enforced = policies.filter(({ mode }) => mode === 'enforce').map(violationsText);
  const audited = policies.filter(({ mode }) => mode === 'audit').map(violationsText);
  return [
    ...(enforced.length === 0 ? [] : [`enforced: ${enforced.join(', ')}`]),
    ...(audited.length === 0 ? [] : [`in audit: ${audited.join(', ')}`]),
    `  ${complete('setpoint inventory --violations')}`,
  ];
}

/** `3 denied by open-ports` */
const violationsText = ({ policy, effect, count: violations }: PolicyViolations): string =>
  `${violations} ${{ deny: 'denied', warn: 'warned of', approval: 'to be approved' }[effect]} by ${policy}`;

const orphanLines = ({ orphans }: EstateStatus, complete: Complete): readonly string[] =>
  orphans === 0
    ? []
    : [
        `${count(orphans, 'resource')} that Setpoint owns and no document wants`,
        `  To list them: ${complete('setpoint inventory --claim orphan')}`,
        `  To delete them: ${complete('setpoint prune')}`,
        '  To keep them, restore their documents: git revert, or setpoint restore --as-of TIME',
      ];

const looserLines = ({ looserGuards }: EstateStatus): readonly string[] =>
  looserGuards.length === 0 ? [] : [...looserGuards, looserGuardsHint];

const fightLines = (fight: EstateStatus['fights'][number], complete: Complete): readonly string[] => {
  const { address, field, closes, waits, until } = fight;
  const next = waits && !closes ? ` The next healing is after ${formatMoment(until, 'second')}.` : '';
  return [
    `${address} ${field}${closes ? ', CLOSED AGAIN EACH TIME' : ''}: ${writerText(fight)}${next}`,
    // why: a rule that is closed again is gone, and only the ledger still knows it
    `  ${complete(`setpoint ${closes ? 'ledger' : 'explain'} ${quoted(address)}`)}`,
  ];
};

const limitLines = (
  { scope, count: held, why }: EstateStatus['limited'][number],
  complete: Complete,
): readonly string[] => [
  `${scope}: ${count(held, 'change')}: ${why}`,
  `  ${complete('setpoint approve --reason "…"')}`,
];

/** `policy: 5 resources`, the first of them with their reasons, and the way on. */
function withheldLines(
  { code, failed, count: held, first }: EstateStatus['withheldChanges'][number],
  complete: Complete,
): readonly string[] {
  const nexts = new Set(first.map(({ next }) => next));
  const [shared] = nexts.size === 1 && first.length > 1 ? nexts : [];
  const way = (next: string): readonly string[] =>
    next === shared || next === 'setpoint status' ? [] : [`    ${complete(next)}`];
  return [
    `${failed ? `failed with ${code}` : code}: ${count(held, 'resource')}`,
    ...first.flatMap(({ name, reason, next }) => [`  ${name}: ${reason}`, ...way(next)]),
    ...(held > first.length ? [`  and ${held - first.length} more: ${complete('setpoint inventory')}`] : []),
    ...(shared === undefined || shared === 'setpoint status' ? [] : [`  ${complete(shared)}`]),
  ];
}

const pauseLines = (pause: EstateStatus['pauses'][number], complete: Complete): readonly string[] => [
  `${heldText(pause)} until ${formatMoment(pause.until)}, by ${pause.person}: ${pause.reason}`,
  `  ${complete(resumeLine(pause))}`,
];

const approvalLines = ({ scope, approvals }: ScopeStatus, complete: Complete): readonly string[] =>
  approvals.flatMap(({ actions, destroys, until, by, seq }) => {
    const what = `${count(actions.length, 'change')}${destroys === 0 ? '' : `, ${destroys} of them destructive`}`;
    return [
      `${scope}: ${what} until ${formatMoment(until)}, by ${by.person}: ${by.reason} (ledger entry ${seq})`,
      `  ${complete(`setpoint withdraw ${seq} --reason "…"`)}`,
    ];
  });

/** So many are named. */
const mostInGrace = 20;

function graceLines(scopes: readonly ScopeStatus[], now: number, complete: Complete): readonly string[] {
  const all = scopes.flatMap(({ inGrace }) => inGrace);
  if (all.length === 0) return [];
  const rest = all.length - mostInGrace;
  return [
    ...all.slice(0, mostInGrace).map(({ address, id, until }) => `${address} (${id}) ${endText(until, now)}`),
    ...(rest > 0 ? [`and ${rest} more: ${complete('setpoint status --json')}`] : []),
    `  To keep them, restore their documents, or write another ttl. To delete them now: ${complete('setpoint apply')}`,
  ];
}

/** `until Fri 2026-11-27 12:04 UTC, in 48 min` */
const endText = (until: number, now: number): string =>
  until <= now
    ? `since ${formatMoment(until)} due: the next reconcile deletes it, unless something holds it`
    : `until ${formatMoment(until)}, in ${formatDuration(until - now)}`;

const replacementLines = ({ replacements }: ScopeStatus): readonly string[] =>
  replacements.flatMap(({ address, predecessor, successor, since, waitsFor, heldBy }) => [
    `${address}: ${predecessor} and its successor ${successor ?? '(being launched)'} since ${formatMoment(since)}, waits for ${waitsFor}`,
    ...(heldBy === undefined ? [] : [`  ${heldBy}`]),
  ]);

const stopLines = ({ stopped }: ScopeStatus, complete: Complete): readonly string[] =>
  stopped.flatMap(({ document, generation, why }) => [
    `${document} in generation ${generation}: ${why}`,
    `  ${complete(`setpoint resume --rollout-of ${document} --reason "…"`)}`,
  ]);

const quarantineLines = (
  { scope, since, why }: EstateStatus['quarantined'][number],
  now: number,
  complete: Complete,
): readonly string[] => [
  `${scope} for ${formatDuration(now - since)}: ${why}`,
  `  ${complete(`setpoint resume --quarantined ${scope} --reason "…"`)}`,
];
