import type { Effect, PendingApprovals, PlannedAction } from '../api.d.ts';
import { differencesOf } from '../drift/entries.ts';
import { endText, exposureText } from '../drift/words.ts';
import { servicesText } from '../services.ts';

type Traffic = Effect['opens'][number];

interface Verb {
  /** As in a plan of the command line. */
  readonly symbol: string;
  readonly word: string;
  readonly tone: 'well' | 'attention' | 'wrong' | 'quiet';
}

export const verbs: Readonly<Record<PlannedAction['verb'], Verb>> = {
  create: { symbol: '+', word: 'Create', tone: 'well' },
  update: { symbol: '~', word: 'Change', tone: 'attention' },
  replace: { symbol: '-/+', word: 'Replace', tone: 'wrong' },
  delete: { symbol: '-', word: 'Delete', tone: 'wrong' },
  adopt: { symbol: '=', word: 'Adopt', tone: 'quiet' },
  forget: { symbol: '×', word: 'Forget', tone: 'quiet' },
};

/** The changes of an action, a line each: `size: t3.small → t3.large`. Those of a new or a deleted resource are its fields. */
export function changeLines(action: PlannedAction): readonly string[] {
  return differencesOf(action).map(({ field, desired, observed }) => {
    if (action.verb === 'create') return `${field}: ${desired ?? ''}`;
    if (action.verb === 'delete') return `${field}: ${observed ?? ''}`;
    return `${field}: ${observed ?? '(absent)'} → ${desired ?? '(absent)'}`;
  });
}

/** The consequences for the machine or its data; empty: none. */
export function consequence(action: PlannedAction): string {
  if (action.verb === 'replace') return 'ends the machine and its data; a new one takes its place';
  if (action.verb === 'update' && action.effect === 'stops') return 'stops the machine';
  if (action.verb === 'delete' && action.kind === 'instance') return 'ends the machine and its data';
  return '';
}

export interface EffectLine {
  readonly scope: string;
  readonly change: 'opens' | 'cuts';
  readonly text: string;
  /** Why it is not certain. */
  readonly reasons: readonly string[];
  readonly exposure: string;
}

/** Openings first. */
export function effectLines({ opens, cuts, unknown }: Effect): readonly EffectLine[] {
  const certain = (change: 'opens' | 'cuts', all: readonly Traffic[]) =>
    all.map((traffic) => lineOf(change, traffic, []));
  return [
    ...certain('opens', opens),
    ...unknown.filter(({ change }) => change === 'opens').map((one) => lineOf('opens', one, one.reasons)),
    ...certain('cuts', cuts),
    ...unknown.filter(({ change }) => change === 'cuts').map((one) => lineOf('cuts', one, one.reasons)),
  ];
}

function lineOf(change: 'opens' | 'cuts', traffic: Traffic, reasons: readonly string[]): EffectLine {
  const { from, to, services } = traffic;
  const verb = change === 'opens' ? 'Opens' : 'Cuts';
  const maybe = change === 'opens' ? 'May open' : 'May cut';
  const text = `${reasons.length === 0 ? verb : maybe} ${servicesText(services)} from ${endText(from)} to ${endText(to)}`;
  return { scope: traffic.scope, change, text, reasons, exposure: exposureText(traffic) };
}

/** `2 to create, 1 to delete` */
export function summaryText({ summary }: Pick<PendingApprovals, 'summary'>): string {
  const parts = (['create', 'update', 'replace', 'delete', 'adopt'] as const).flatMap((verb) =>
    summary[verb] === 0 ? [] : [`${summary[verb]} to ${verbs[verb].word.toLowerCase()}`],
  );
  return parts.join(', ') || 'nothing to change';
}

export function costText({ currency, before, after, change, limit }: NonNullable<PendingApprovals['cost']>): string {
  const money = new Intl.NumberFormat('en-GB', { style: 'currency', currency, maximumFractionDigits: 2 });
  const sign = change > 0 ? '+' : '';
  const most = limit === undefined ? '' : `; the limit is ${money.format(limit)}`;
  return `${money.format(before)} → ${money.format(after)} a month (${sign}${money.format(change)})${most}`;
}
