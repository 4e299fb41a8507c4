import { join } from 'node:path';
import type { Command } from 'commander';
import type { Action, Finding } from '../../core/action.ts';
import { type Desired, isAdoptedRule } from '../../core/desired.ts';
import type {
  CadenceReason,
  Explanation,
  ModeReason,
  Origin,
  OriginPatch,
  Ownership,
} from '../../core/inventory/ownership.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { TouchedBy } from '../../core/last-modified.ts';
import { healingIn } from '../../core/plan/healing.ts';
import { type EffectJson, effectJson, effectLines } from '../../core/render/effect.ts';
import { explanationJson } from '../../core/render/explanation-json.ts';
import { sourceJson } from '../../core/render/plan-json.ts';
import { authorText, changeText, costText, fieldLines, isHeardIn, statedFields } from '../../core/render/plan-text.ts';
import { ruleText } from '../../core/render/rule-text.ts';
import {
  type Ago,
  contestedText,
  formatMoment,
  type Paint,
  remediationText,
  touchedText,
} from '../../core/render/wording.ts';
import type { Cloud } from '../../core/resource.ts';
import { compareText, printable } from '../../core/text.ts';
import { effectOfActions, explanationOf, namingPatches } from '../../queries/explain.ts';
import { renderAnswer } from '../api-client/client.ts';
import { type ExplanationReport, fetchExplanation } from '../api-client/explanation.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import { findAddress, readEstate } from '../local/estate.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import {
  asWritten,
  type Complete,
  completeFor,
  defineCommand,
  type EstateOptions,
  selectionOf,
  withSpecsOption,
} from '../options.ts';
import { agoFrom, intervalText } from '../output/format.ts';
import { printHeldSources } from '../output/plan.ts';
import { paintFor, printJson, sortKeys } from '../output/print.ts';
import { table } from '../output/table.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly specs: string;
  readonly json?: boolean;
}

export const explain = (context: Context): Command =>
  withServerEstateOption(
    withSpecsOption(
      defineCommand('explain', {
        group: 'Look',
        summary: 'show one resource: its documents, desired and observed fields, owner and planned actions',
        about:
          'The address may be a unique ending (`web-0`, `instance/web-0`), a rule document, or an id of the cloud.',
        examples: [
          ['explain web-0', 'by its name'],
          ['explain sg-0abc', 'by its cloud id: its owner, and the reason'],
        ],
      }).argument('<address>', 'address or id of the resource'),
    ),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string, _options: Options, command: Command) => {
      context.finish(await run(address, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['specs', 'target', 'allowEndpoint', 'overlay'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(given: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const report = await fetchExplanation(server, given, options);
    printHeldSources(report.sources ?? [], context);
    return renderAnswer(server, () => print(report, { ...options, specs: '' }, context));
  }
  const estate = await readEstate(selectionOf(options.specs, options), context);
  const report = await withOptionalStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, async (view) => {
      const found = explanationOf(given, view, findAddress, await store?.reconciles.scopes(estate.name));
      const origins = await namingPatches(found.origins, estate.name, store);
      const effect = await effectOfActions(found, view);
      const { sources, auditLogs } = view.bound;
      return { explanation: { ...found, origins }, effect: effect && effectJson(effect), sources, auditLogs };
    }),
  );
  return print(report, { ...options, complete: completeFor(options.specs, options) }, context);
}

/** `specs`: goes before the paths of documents. */
function print(
  { explanation: found, effect, sources, auditLogs }: ExplanationReport,
  { json, specs: dir, complete }: Options & Pick<How, 'complete'>,
  context: Context,
): ExitCode {
  const { terminal, clock } = context;
  const explanation = { ...found, there: found.there.toSorted(byObject) };
  if (json) {
    const known = { effect, sources: sources?.map(sourceJson), auditLogs };
    printJson(terminal, sortKeys({ ...explanationJson(explanation), ...known }));
  } else {
    const how = { dir, paint: paintFor(terminal.out), ago: agoFrom(clock.now()), auditLogs, effect, complete };
    terminal.out.write(explanationText(explanation, how));
  }
  return exitCodes.done;
}

/** Independent objects first; a store keeps observations in an order of its own. */
const byObject = ({ observed: a }: Ownership, { observed: b }: Ownership): number =>
  kindNames.indexOf(a.kind) - kindNames.indexOf(b.kind) || compareText(a.id, b.id);

interface How {
  readonly dir: string;
  readonly paint: Paint;
  readonly ago: Ago;
  /** Clouds whose audit logs reach Setpoint; default: none. */
  readonly auditLogs?: readonly Cloud[] | undefined;
  /** Absent for the answer of a server: a command here would read another store. */
  readonly complete?: Complete | undefined;
  /** Of the planned actions alone. */
  readonly effect?: EffectJson | undefined;
}

/** The verdict in one line, then each question with its answer. */
export function explanationText(given: Explanation, how: How): string {
  const explanation = printable(given);
  const { address, wanted, origins, there, mode, remediation, cadence } = explanation;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Desired', wanted.length === 0 ? ['by no document'] : wantedLines(wanted, how)],
    ['Origin', originLines(origins)],
    ['Observed', there.length === 0 ? ['nothing'] : there.flatMap((one) => thereLines(one, wanted, how))],
    ['On the cloud, not in the language', there.flatMap(beyondLines)],
    ['Mode', mode === undefined ? [] : modeLines(mode, how)],
    ['Remediation', remediation.map((one) => `${one.category}: ${remediationText(one)}`)],
    ['Criticality', cadence === undefined ? [] : cadenceLines(cadence)],
    ['Planned', happens(explanation, how)],
    ['Effect on traffic', how.effect === undefined ? [] : effectLines(how.effect, how.paint)],
  ];
  const body = sections.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : ['', how.paint('strong', title), ...lines.map((line) => `  ${line}`)],
  );
  return `${[how.paint('strong', `${address}: ${verdict(explanation)}`), ...body].join('\n')}\n`;
}

function verdict({ wanted, there, actions, findings }: Explanation): string {
  if (actions.length > 0) return actions.every(({ cause }) => cause === 'drift') ? 'drifted' : 'change planned';
  for (const type of ['blocked', 'withheld'] as const) if (findings.some((found) => found.type === type)) return type;
  if (wanted.length > 0) return there.length > 0 ? 'in sync' : 'missing';
  return there[0]?.claim ?? 'unknown';
}

const modeLines = (
  { mode, why, stillBoundBy }: ModeReason,
  { complete = asWritten }: Pick<How, 'complete'>,
): readonly string[] => [
  `${mode}: ${why}`,
  ...(stillBoundBy === undefined
    ? []
    : [
        `${stillBoundBy} until the next generation, as in the previous one.${stillBoundBy === 'plan' ? ` To allow it now: ${complete(approve)}` : ''}`,
      ]),
];

const cadenceLines = (of: CadenceReason): readonly string[] => [
  `${of.criticality}: ${of.reason}`,
  `observed every ${intervalText(of.everyMs)}: ${of.everyReason}${of.everyDecidedBy === undefined ? '' : `, ${of.everyDecidedBy}`}`,
];

const approve = 'setpoint approve --reason "…"';

function wantedLines(wanted: readonly Desired[], { dir }: How): readonly string[] {
  const documents = new Map(wanted.flatMap((one) => one.documents.map((document) => [document.address, document])));
  const by = [...documents.values()].map(({ address, file, line }) => `by ${join(dir, file)}:${line}  ${address}`);
  return [
    ...by,
    ...wanted.slice(0, 1).map(termsText),
    ...wanted.flatMap((one) => {
      const lines = attributeLines(one, statedFields(one.attributes));
      return wanted.length === 1 || one.kind === 'firewall-rule'
        ? lines
        : [one.address, ...lines.map((line) => `  ${line}`)];
    }),
  ];
}

function termsText(desired: Desired): string {
  const { deletionPolicy, protect } = desired.terms;
  const isNeverDeleted = isAdoptedRule(desired) && deletionPolicy === 'delete';
  const effect = isNeverDeleted ? ', without effect: no plan deletes an adopted rule' : '';
  return `deletionPolicy ${deletionPolicy}${effect}${protect ? ', protected' : ''}`;
}

const attributeLines = (
  { kind, attributes }: Pick<Desired, 'kind' | 'attributes'>,
  stated: ReadonlySet<string>,
): readonly string[] => (kind === 'firewall-rule' ? [ruleText(attributes)] : fieldLines(attributes, stated));

function thereLines(
  { observed, claim, address, why, by }: Ownership,
  wanted: readonly Desired[],
  how: How,
): readonly string[] {
  const { id, name, kind, condition } = observed;
  const desired = wanted.find((one) => one.address === address);
  const named = wanted.length > 1 && kind !== 'firewall-rule' && address !== undefined ? `${address}  ` : '';
  return [
    `${named}${id}${name === '' ? '' : ` (${name})`}: ${claim}${why === 'wanted' ? '' : `, ${why}`}`,
    ...byLines(by, how),
    ...attributeLines(observed, statedFields(desired?.attributes ?? {})).map((line) => `  ${line}`),
    ...(condition.parts ?? []).map(({ part, id: its }) => `  part ${part}  ${its}`),
  ];
}

/** Setpoint neither compares nor changes these. */
const beyondLines = ({ observed: { id, name, condition } }: Ownership): readonly string[] =>
  [
    ...(condition.unstated ?? []).filter(({ statedBy }) => statedBy === undefined),
    ...(condition.inexpressible ?? []),
  ].map(({ field, detail }) => `${name === '' ? id : name} ${detail}  (${field})`);

const byLines = (by: TouchedBy | undefined, { ago }: How): readonly string[] =>
  by === undefined ? [] : [`  ${touchedText(by, ago)}`];

/** The author of drift, and the effect of healing on it. */
function happens({ address, wanted, there, actions, findings }: Explanation, how: How): readonly string[] {
  const named = (one: string): string => (wanted.length > 1 ? `${one}  ` : '');
  const healing = healingIn({ findings });
  const isHeard = isHeardIn(there[0]?.scope ?? address, how.auditLogs);
  const authorLines = (one: Action | Finding): readonly string[] => {
    const text = authorText(one, healing(one), { ago: how.ago, isHeard });
    return text === undefined ? [] : [`  ${text}`];
  };
  const lines = [
    ...actions.flatMap((action) => [
      `${named(action.address)}${action.verb} (${action.cause})${costOf(action)}`,
      ...changeLines(action, how).map((line) => `  ${line}`),
      ...(action.contested ?? []).map((fight) => `  ${contestedText(fight)}`),
      ...authorLines(action),
    ]),
    ...findings.flatMap((found) => [
      `${'address' in found ? named(found.address) : ''}${found.type}: ${found.why}`,
      ...authorLines(found),
    ]),
  ];
  return lines.length === 0 ? ['nothing'] : lines;
}

function costOf(action: Action): string {
  const cost = costText(action);
  return cost === '' ? '' : `: ${cost}`;
}

const changeLines = (action: Action, { paint }: How): readonly string[] =>
  'changes' in action ? action.changes.flatMap((change) => changeText(change, paint)) : [];

/** Field, value, layer and line, aligned; by document where there are several. */
function originLines(origins: readonly Origin[]): readonly string[] {
  const byDocument = Map.groupBy(origins, ({ document }) => document);
  return [...byDocument].flatMap(([document, its]) => {
    const rows = table(['FIELD', 'VALUE', 'LAYER', 'LINE'], its.map(cells)).trimEnd().split('\n');
    const lines = [...rows, ...new Set(its.flatMap(({ patch }) => (patch === undefined ? [] : [patchText(patch)])))];
    return byDocument.size === 1 ? lines : [document, ...lines.map((line) => `  ${line}`)];
  });
}

/** `patch #7: patched by ada until 2026-12-01 16:00 UTC: #4711` */
const patchText = ({ id, actor, until, reason }: OriginPatch): string =>
  `patch #${id}: patched by ${actor} until ${formatMoment(until)}: ${reason}`;

const cells = ({ field, value, layer, file, line }: Origin): readonly string[] => [
  field,
  shown(value),
  layer,
  file === undefined ? '' : `${file}:${line}`,
];

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.map(word).join(', ') : word(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const longest = 40;

const word = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
