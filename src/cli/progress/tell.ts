import type { Verb } from '../../core/action.ts';
import type { Progress as Event, Waiting } from '../../engine/ports.ts';
import { count } from '../output/count.ts';
import { formatDuration } from '../output/duration.ts';
import type { Progress } from './progress.ts';

const doing = {
  create: 'making',
  update: 'changing',
  replace: 'replacing',
  delete: 'deleting',
  adopt: 'adopting',
  forget: 'forgetting',
} as const satisfies Record<Verb, string>;

const waitingFor = {
  budget: 'waiting for the rate budget',
  backoff: 'waiting before trying again',
  ready: 'waiting for it to come up',
  gone: 'waiting for it to go',
  visible: 'waiting for the cloud to show what was written',
} as const satisfies Record<Waiting, string>;

/**
 * Tells the events of one scope's passes as one calm line: what is being done, and how much is behind us. The looks of a
 * wait are not told: the line that says what is waited for stays until something else is done. The scope stands at the head
 * of the line, and is not said again in its addresses.
 */
export function tellScope(scope: string, progress: Progress): (event: Event) => void {
  const seen = new Map<string, number>();
  let settled = 0;
  let isWaiting = false;
  return (event) => {
    if (event.at === 'called' || event.at === 'waited') return;
    if (event.at === 'observing') seen.set(event.kind, event.seen);
    if (event.at === 'settled') settled += 1;
    isWaiting = event.at === 'waiting' ? event.atMostMs !== undefined : isWaiting && isLook(event);
    if (isWaiting && event.at !== 'waiting') return;
    progress.show(scope, lineOf(event, { seen: sum(seen), settled }).replaceAll(`${scope}/`, ''));
  };
}

const isLook = (event: Event): boolean => event.at === 'observing' || (event.at === 'planned' && event.actions === 0);

const sum = (seen: ReadonlyMap<string, number>): number => [...seen.values()].reduce((all, n) => all + n, 0);

function lineOf(event: Event, so: { readonly seen: number; readonly settled: number }): string {
  const done = so.settled === 0 ? '' : `${so.settled} done, `;
  switch (event.at) {
    case 'observing':
      return `looking, ${count(so.seen, 'object')} so far`;
    case 'planned':
      return `pass ${event.pass}: ${count(event.actions, 'action')} to do`;
    case 'acting':
      return `${done}${doing[event.verb]} ${many(event.addresses)}`;
    case 'settled':
      return `${done}${event.failure === undefined ? doing[event.verb] : 'failed:'} ${event.address}`;
    case 'withheld':
      return `${done}holding back: ${event.finding.why}`;
    case 'waiting':
      if (event.atMostMs !== undefined)
        return `${done}waiting for ${event.detail} to be seen or given up (at most ${formatDuration(event.atMostMs)})`;
      return `${done}${waitingFor[event.why]}${forAbout(event.forMs)}: ${event.detail}`;
    case 'waited':
    case 'called':
      return '';
  }
}

const many = ([first = '', ...rest]: readonly string[]): string =>
  rest.length === 0 ? first : `${first} and ${rest.length} more`;

const forAbout = (ms: number | undefined): string => (ms === undefined ? '' : ` (${formatDuration(ms)})`);
