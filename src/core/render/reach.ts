import type { DecidingRule, Reach, ReachAnswer, ReachStep, ReachWay } from '../effect/reach.ts';
import type { ScopeKey } from '../resource.ts';
import { listed, printable } from '../text.ts';
import { type ServiceJson, servicesJson, servicesText } from './effect.ts';
import { type Paint, plain, type Style } from './wording.ts';

/** The answer for one scope. Each of its lists has at most so many, and the number of those left out. */
export interface ScopeReach extends Reach {
  readonly scope: ScopeKey;
}

const styles: Readonly<Record<ReachAnswer, Style>> = { yes: 'change', no: 'add', unknown: 'note' };

/** The best of the answers: one way is enough. */
export const answerOf = (all: readonly Pick<Reach, 'answer'>[]): ReachAnswer =>
  (['yes', 'unknown', 'no'] as const).find((answer) => all.some((one) => one.answer === answer)) ?? 'unknown';

const mostWays = 20;

export interface ReachJson {
  readonly answer: ReachAnswer;
  readonly scopes: readonly ScopeJson[];
}

interface ScopeJson extends Pick<ScopeReach, 'scope' | 'answer' | 'assumptions' | 'notes' | 'moreWays'> {
  readonly ways: readonly WayJson[];
}

interface WayJson extends Pick<ReachWay, 'answer' | 'from' | 'to'> {
  /** Names that are left out. */
  readonly moreFrom: number;
  readonly moreTo: number;
  readonly open: readonly ServiceJson[];
  readonly maybe: readonly ServiceJson[];
  readonly steps: readonly StepJson[];
}

interface StepJson extends Pick<ReachStep, 'by' | 'answer' | 'reason'> {
  readonly rules: readonly RuleJson[];
  readonly moreRules: number;
}

/** `address`: empty where the caller may not see the rule. */
export interface RuleJson extends Pick<DecidingRule, 'name' | 'action'> {
  readonly address: string;
  readonly document?: Place | undefined;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

const mostNames = 100;
const mostRules = 20;

const leftOut = (all: readonly unknown[], most: number): number => Math.max(0, all.length - most);

/** The answer as data, for `--json` and the API. */
export const reachJson = (scopes: readonly ScopeReach[]): ReachJson => ({
  answer: answerOf(scopes),
  scopes: scopes.map(({ scope, answer, ways, moreWays, assumptions, notes }) => ({
    ...{ scope, answer, assumptions, notes },
    ways: ways.map((way) => ({
      ...{ answer: way.answer, from: way.from.slice(0, mostNames), to: way.to.slice(0, mostNames) },
      ...{ moreFrom: leftOut(way.from, mostNames), moreTo: leftOut(way.to, mostNames) },
      ...{ open: way.open.map(servicesJson), maybe: way.maybe.map(servicesJson) },
      steps: way.steps.map(({ by, answer: step, reason, rules }) => ({
        ...{ by, answer: step, reason },
        rules: rules.slice(0, mostRules).map(ruleJson),
        moreRules: leftOut(rules, mostRules),
      })),
    })),
    moreWays,
  })),
});

export const ruleJson = ({ ref, name, action, document }: DecidingRule): RuleJson => ({
  ...{ address: ref, name, action },
  document: document && { file: document.file, line: document.line },
});

/** Each scope with its ways and the deciding rules. `placeOf`: the file and line of a document, for the reader. */
export function reachText(
  { scopes }: Pick<ReachJson, 'scopes'>,
  { paint = plain, placeOf }: { readonly paint?: Paint; readonly placeOf: (document: Place) => string },
): string {
  return scopes
    .flatMap((given) => {
      const { scope, ways, moreWays, assumptions, notes } = printable(given);
      const rest = leftOut(ways, mostWays) + moreWays;
      return [
        paint('strong', scope),
        ...ways.slice(0, mostWays).flatMap((way) => wayLines(way, paint, placeOf)),
        ...(rest > 0
          ? [
              paint(
                'dim',
                `  and ${rest} more${moreWays === 0 ? ': --json lists all' : `: --json lists ${ways.length} in all`}`,
              ),
            ]
          : []),
        ...notes.map((note) => `  ${paint('note', note)}`),
        ...assumptions.map((one) => paint('dim', `  Assumed: ${one}.`)),
      ];
    })
    .join('\n');
}

function wayLines(
  { answer, from, to, moreFrom, moreTo, open, maybe, steps }: WayJson,
  paint: Paint,
  placeOf: (document: Place) => string,
) {
  const services = [
    ...(open.length === 0 ? [] : [servicesText(open)]),
    ...(maybe.length === 0 ? [] : [`perhaps ${servicesText(maybe)}`]),
  ];
  const told = answer === 'no' ? '' : `  ${services.join('; ')}`;
  return [
    `  ${paint(styles[answer], answer)}  ${listed(from, 5, moreFrom)} → ${listed(to, 5, moreTo)}${told}`,
    ...steps
      .filter((step) => answer !== 'no' || step.answer !== 'yes')
      .map((step) => `      ${step.reason}${paint('dim', placesText(step, placeOf))}`),
  ];
}

function placesText({ rules }: StepJson, placeOf: (document: Place) => string): string {
  const places = new Set(rules.flatMap(({ document }) => (document === undefined ? [] : [placeOf(document)])));
  return places.size === 0 ? '' : `  ${[...places].join(', ')}`;
}
