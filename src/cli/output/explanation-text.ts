import { join } from 'node:path';
import type { Action, Finding } from '../../core/action.ts';
import type { Desired } from '../../core/desired.ts';
import type { Explanation, ModeReason, Ownership } from '../../core/inventory/ownership.ts';
import { fieldLines, ruleText } from '../../core/render/plan-text.ts';
import { type Ago, type Paint, touchedText } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import type { TouchedBy } from '../../core/touch.ts';
import { originLines } from './origin-lines.ts';

interface How {
  readonly dir: string;
  readonly paint: Paint;
  readonly ago: Ago;
}

/** The verdict in one line, then each question with its answer. */
export function explanationText(given: Explanation, how: How): string {
  const explanation = printable(given);
  const { address, wanted, origins, there, mode, actions, findings } = explanation;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Wanted', wanted.length === 0 ? ['by no document'] : wantedLines(wanted, how)],
    ['Written', originLines(origins)],
    ['There', there.length === 0 ? ['nothing was seen'] : there.flatMap((one) => thereLines(one, how))],
    ['Mode', mode === undefined ? [] : modeLines(mode)],
    ['Would happen', happens(actions, findings, how)],
  ];
  const body = sections.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : ['', how.paint('strong', title), ...lines.map((line) => `  ${line}`)],
  );
  return `${[how.paint('strong', `${address}: ${verdict(explanation)}`), ...body].join('\n')}\n`;
}

function verdict({ wanted, there, actions, findings }: Explanation): string {
  if (actions.length > 0) return actions.every(({ cause }) => cause === 'drift') ? 'drifted' : 'to be changed';
  if (findings.some(({ type }) => type === 'blocked' || type === 'withheld')) return 'held back';
  if (wanted.length > 0) return there.length > 0 ? 'as wanted' : 'wanted, and not there';
  return there[0]?.claim ?? 'unknown';
}

const modeLines = ({ mode, why, stillBoundBy }: ModeReason): readonly string[] => [
  `${mode}: ${why}`,
  ...(stillBoundBy === undefined
    ? []
    : [`${stillBoundBy} until the next generation, as in the one before.${stillBoundBy === 'plan' ? letPass : ''}`]),
];

const letPass = ' To let it pass now: setpoint approve --reason "…"';

function wantedLines(wanted: readonly Desired[], { dir }: How): readonly string[] {
  const documents = new Map(wanted.flatMap((one) => one.documents.map((document) => [document.address, document])));
  const by = [...documents.values()].map(({ address, file, line }) => `by ${join(dir, file)}:${line}  ${address}`);
  const terms = wanted[0]?.terms;
  const rules =
    terms === undefined ? [] : [`deletionPolicy ${terms.deletionPolicy}${terms.protect ? ', protected' : ''}`];
  return [...by, ...rules, ...wanted.flatMap(attributeLines)];
}

const attributeLines = ({ kind, attributes }: Pick<Desired, 'kind' | 'attributes'>): readonly string[] =>
  kind === 'firewall-rule' ? [ruleText(attributes)] : fieldLines(attributes);

const thereLines = ({ observed, claim, why, by }: Ownership, how: How): readonly string[] => [
  `${observed.id}${observed.name === '' ? '' : ` (${observed.name})`}: ${claim}${why === 'wanted' ? '' : `, ${why}`}`,
  ...byLines(by, how),
  ...attributeLines(observed).map((line) => `  ${line}`),
  ...(observed.condition.parts ?? []).map(({ part, id }) => `  part ${part}  ${id}`),
];

const byLines = (by: TouchedBy | undefined, { ago }: How): readonly string[] =>
  by === undefined ? [] : [`  ${touchedText(by, ago)}`];

/** Who changed what stands is said there; here, who took away what does not. */
function happens(actions: readonly Action[], findings: readonly Finding[], how: How): readonly string[] {
  const lines = [
    ...actions.flatMap((action) => [
      `${action.verb} (${action.cause})`,
      ...changeLines(action),
      ...byLines(goneBy(action), how),
    ]),
    ...findings.map(({ type, why }) => `${type}: ${why}`),
  ];
  return lines.length === 0 ? ['nothing'] : lines;
}

const changeLines = (action: Action): readonly string[] =>
  'changes' in action
    ? action.changes.map(
        ({ field, from, to }) =>
          `  ${field}: ${JSON.stringify(from) ?? 'nothing'} → ${JSON.stringify(to) ?? 'nothing'}`,
      )
    : [];

const goneBy = (action: Action): TouchedBy | undefined => ('observed' in action ? undefined : action.by);
