import type { Effect, Plan, PlannedAction } from '../api.d.ts';
import { servicesText } from '../services.ts';
import { type DriftEntry, dangerOf, type Fate, type TrafficLine } from './entries.ts';

type Traffic = Effect['opens'][number];
type End = Traffic['from'];

/** `Opened 22/tcp to core.web (2 instances) from 0.0.0.0/0` */
export function trafficText({ change, traffic: { from, to, services }, reasons }: TrafficLine): string {
  const what = servicesText(services);
  const way =
    'network' in from && 'cidr' in to
      ? `from ${endText(from)} to ${endText(to)}`
      : `to ${endText(to)} from ${endText(from)}`;
  if (change === 'opens') return `${reasons === undefined ? 'Opened' : 'May have opened'} ${what} ${way}`;
  return `${reasons === undefined ? 'Cut' : 'May have cut'} ${what} ${way}`;
}

/** The machines that packets of a block outside find a way to; empty between machines. */
export function exposureText({ from, to }: Traffic): string {
  const end = 'network' in from ? from : to;
  if ('cidr' in end || end.exposed === undefined) return '';
  const { count, exposed, maybeExposed = 0 } = end;
  if (maybeExposed > 0)
    return `${exposed} of ${count} exposed, ${maybeExposed} by ways that Setpoint does not evaluate`;
  return exposed === 0 ? 'no machine exposed: no way to the internet' : `${exposed} of ${count} exposed`;
}

const mostNames = 3;

export function endText(end: End): string {
  if ('cidr' in end) return end.anyone ? `${end.cidr}, the internet` : end.cidr;
  const { network, groups, names, count } = end;
  const [only] = names;
  const machines = `${count} ${count === 1 ? 'machine' : 'machines'}`;
  if (groups.length === 0 && only === undefined) return `all ${machines} of ${network}`;
  if (groups.length === 0 && names.length === 1 && only !== undefined) return only;
  const shown = groups.length === 0 ? names.slice(0, mostNames) : groups.slice(0, mostNames);
  const isWhole = shown.length === groups.length + names.length;
  return `${shown.join(', ')}${isWhole ? '' : ', …'} (${machines})`;
}

/** The short word of a row for its traffic; undefined: none that is known. */
export function trafficBadge(entry: DriftEntry): { readonly text: string; readonly tone: string } | undefined {
  const danger = dangerOf(entry);
  if (danger > 3) return undefined;
  const { traffic } = entry;
  const change = danger === 3 ? 'cuts' : 'opens';
  const first = traffic.find((one) => one.change === change && one.reasons === undefined);
  const any = first ?? traffic.find((one) => one.change === change);
  const what = any === undefined ? 'traffic' : servicesText(any.traffic.services);
  const certain = first !== undefined;
  if (change === 'cuts') return { text: `${certain ? 'Cut' : 'May cut'} ${what}`, tone: 'attention' };
  const where = danger <= 1 ? ' to the internet' : '';
  return { text: `${certain ? 'Opened' : 'May open'} ${what}${where}`, tone: danger <= 1 ? 'wrong' : 'attention' };
}

const healingWords: Readonly<Record<NonNullable<PlannedAction['healing']>, readonly [short: string, long: string]>> = {
  undoes: ['To be undone', 'The next reconcile undoes it.'],
  relaunches: ['To be relaunched', 'The next reconcile launches a new machine. The data on the old one is gone.'],
  replaces: ['To be replaced', 'The next reconcile replaces the machine.'],
  deletes: ['To be deleted', 'The next reconcile deletes it.'],
  withheld: ['Withheld', 'No worker heals it before a person acts.'],
  none: ['Left as it is', 'Setpoint does not change it.'],
};

interface FateWords {
  readonly short: string;
  readonly long: string;
  readonly tone: string;
}

export function fateWords(fate: Fate): FateWords {
  switch (fate.type) {
    case 'healed': {
      const [short, long] = healingWords[fate.healing ?? 'undoes'];
      return { short, long, tone: 'busy' };
    }
    case 'withheld':
      return {
        short: `Withheld: ${fate.withholding.code}`,
        long: sentence(fate.withholding.reason),
        tone: 'attention',
      };
    case 'none':
      return { short: 'Not healed', long: sentence(fate.reason), tone: 'quiet' };
  }
}

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The differing fields in one line: `labels.tier: web → toms`. */
export function summaryText({ cause, differences, fate }: DriftEntry): string {
  if (fate.type === 'none') return sentence(fate.reason);
  if (cause === 'missing') return 'in the specs, and not on the cloud';
  if (cause !== 'changed') return 'on the cloud, and not in the specs';
  const texts = differences.map(({ field, desired, observed }) => `${field}: ${inline(desired)} → ${inline(observed)}`);
  return texts.join(' · ');
}

const inline = (value: string | undefined): string => (value === undefined ? '(absent)' : value.replaceAll('\n', ', '));

/** `3 differences, 2 withheld` */
export function countText(entries: readonly DriftEntry[]): string {
  const all = entries.filter(({ isDifference }) => isDifference);
  const held = all.filter(({ fate }) => fate.type === 'withheld').length;
  const notes = entries.length - all.length;
  const parts = [
    all.length === 0 ? 'Nothing differs' : `${all.length} ${all.length === 1 ? 'difference' : 'differences'}`,
    ...(held === 0 ? [] : [`${held} withheld`]),
    ...(notes === 0 ? [] : [`${notes} ${notes === 1 ? 'note' : 'notes'}`]),
  ];
  return parts.join(', ');
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** Of today the time alone: `12:04`; else `27 Nov 2026, 12:04`. */
function momentText(at: number, now: number): string {
  const time = clock.format(at);
  return day.format(at) === day.format(now) ? time : `${day.format(at)}, ${time}`;
}

/** `Nothing differs, as of 12:04` */
export function nothingText({ observed: { at, complete } }: Pick<Plan, 'observed'>, now: number): string {
  if (at === undefined) return 'Drift is unknown: Setpoint has observed nothing yet';
  const moment = momentText(Date.parse(at), now);
  return complete ? `Nothing differs, as of ${moment}` : `Nothing that Setpoint could observe differs, as of ${moment}`;
}
