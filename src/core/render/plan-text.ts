import type { Action, BlockCode, Finding, ScopePlan, WithholdCode } from '../action.ts';
import { nameIn } from '../address.ts';
import type { FieldChange } from '../diff.ts';
import { type Entry, type EntryVerb, entriesOf } from './entries.ts';
import { fieldLines, ruleText } from './fields.ts';
import { type Paint, plain, type Style } from './paint.ts';
import { summarise, summaryLine } from './summary.ts';

export interface PlanTextOptions {
  readonly revision: string;
  readonly paint?: Paint;
  /** Findings that only inform (unmanaged, orphan) are listed up to so many; default 20. */
  readonly most?: number;
}

const symbols: Readonly<Record<EntryVerb, readonly [string, Style]>> = {
  create: ['+', 'add'],
  update: ['~', 'change'],
  replace: ['-/+', 'remove'],
  delete: ['-', 'remove'],
  adopt: ['+', 'add'],
  forget: ['·', 'dim'],
};

/** A plan for people: the verdict first, then each scope with its changes, then what is true and not acted on. */
export function planText(plans: readonly ScopePlan[], { revision, paint = plain, most = 20 }: PlanTextOptions): string {
  const lines = [paint('strong', `Plan: ${summaryLine(summarise(plans), revision)}`)];
  for (const { scope, actions, findings } of plans) {
    if (actions.length + findings.length === 0) continue;
    lines.push('', paint('strong', scope), ...entriesOf(actions).flatMap((entry) => entryLines(entry, paint)));
    lines.push(...findingLines(findings, paint, most));
  }
  return lines.join('\n');
}

function entryLines(entry: Entry, paint: Paint): readonly string[] {
  const [symbol, style] = symbols[entry.verb];
  const name = nameIn(entry.address, entry.kind);
  const place =
    entry.document !== undefined && entry.document.file !== ''
      ? paint('dim', `  ${entry.document.file}:${entry.document.line}`)
      : '';
  const drift = entry.drifted && entry.verb !== 'forget' ? paint('note', '  ! drifted') : '';
  const why = reason(entry);
  return [
    `  ${paint(style, `${symbol} ${entry.kind} ${name}`)}${why === '' ? '' : paint('dim', `  ${why}`)}${drift}${place}`,
    ...entry.actions.flatMap((action) => actionLines(action, paint)),
  ];
}

function reason({ verb, actions }: Entry): string {
  const [first] = actions;
  if (verb === 'adopt') return 'adopted';
  if (first?.verb === 'forget') return 'gone from the cloud; the store lets it go';
  if (first?.verb === 'delete' && verb === 'delete')
    return first.because === 'rogue' ? 'nobody wrote this rule' : first.because;
  return first?.verb === 'update' && first.effect === 'stops' ? 'stops the machine' : '';
}

function actionLines(action: Action, paint: Paint): readonly string[] {
  switch (action.verb) {
    case 'create':
      return action.desired.kind === 'firewall-rule'
        ? [`      ${paint('add', `+ ${ruleText(action.desired.attributes)}`)}`]
        : fieldLines(action.desired.attributes).map((line) => `      ${line}`);
    case 'update':
    case 'replace':
    case 'adopt':
      return action.changes.map((change) => `      ${changeLine(change, action, paint)}`);
    case 'delete':
      return action.observed.kind === 'firewall-rule'
        ? [`      ${paint('remove', `- ${ruleText(action.observed.attributes)}`)}`]
        : [`      ${paint('dim', action.observed.id)}`];
    case 'forget':
      return [`      ${paint('dim', action.id)}`];
  }
}

function changeLine({ field, from, to }: FieldChange, action: Action, paint: Paint): string {
  const subject =
    action.kind === 'firewall-rule' && action.verb === 'update' ? `${ruleText(action.observed.attributes)}: ` : '';
  if (to === undefined) return `${subject}${paint('remove', `- ${field}`)}  ${show(from)}`;
  if (from === undefined) return `${subject}${paint('add', `+ ${field}`)}  ${show(to)}`;
  return `${subject}${paint('change', `~ ${field}`)}  ${show(from)} → ${show(to)}`;
}

const show = (value: unknown): string => (typeof value === 'string' ? value || '""' : JSON.stringify(value));

const informing: readonly Finding['type'][] = ['unmanaged', 'orphan', 'copied-mark'];

function findingLines(findings: readonly Finding[], paint: Paint, most: number): readonly string[] {
  const acting = findings.filter(({ type }) => !informing.includes(type));
  const told = findings.filter(({ type }) => informing.includes(type));
  const rest = told.length - most;
  return [
    ...actingLines(acting, paint),
    ...told.slice(0, most).map((finding) => `  ${paint('dim', `? ${subjectOf(finding)}`)}  ${finding.why}`),
    ...(rest > 0 ? [paint('dim', `  ? and ${rest} more: setpoint inventory`)] : []),
  ];
}

/**
 * What was not listed, or waits for one and the same thing, is one line a kind: a cloud that does not answer, or a pause, would
 * fill the screen. All else is told by name.
 */
function actingLines(findings: readonly Finding[], paint: Paint): readonly string[] {
  const byCause = Map.groupBy(findings, (finding) =>
    'code' in finding && together.includes(finding.code) ? `${finding.kind} ${finding.why}` : finding,
  );
  return [...byCause.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
    return [`  ${paint('note', `· ${subjectOf(first, more)}`)}  ${first.why}`];
  });
}

const together: readonly string[] = ['not-observed', 'paused', 'wave', 'rollout-stopped'] satisfies readonly (
  | BlockCode
  | WithholdCode
)[];

function subjectOf(finding: Finding, more = ''): string {
  if ('address' in finding) return `${finding.kind} ${nameIn(finding.address, finding.kind)}${more} ${finding.type}`;
  if ('id' in finding) return `${finding.kind} ${finding.id}${finding.name === '' ? '' : ` (${finding.name})`}`;
  return finding.type;
}
