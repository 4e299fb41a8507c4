import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { renew, restMs } from './renewal.ts';

/** The connection to /v1/events. `since`: when it was lost, or opened. */
export interface Live {
  readonly state: 'connecting' | 'live' | 'lost';
  readonly since: number;
}

/** The queries that each type of event makes old, by the first word of their keys. */
const outdated: Readonly<Record<string, readonly string[]>> = {
  resource: ['inventory', 'inventory-counts', 'drift', 'drift-count', 'resource', 'explanation', 'targets', 'slo'],
  reconcile: ['targets', 'drift', 'drift-count', 'fleet', 'ledger', 'map', 'reach'],
  generation: [
    ...['whoami', 'targets', 'fleet', 'approvals', 'drift', 'drift-count', 'inventory', 'inventory-counts'],
    ...['resource', 'explanation', 'slo', 'map', 'reach', 'patches'],
  ],
  audit: ['approvals', 'pauses', 'patches', 'targets', 'drift', 'resource', 'fleet', 'ledger'],
  fight: ['explanation', 'drift'],
};

/** A stream ends once an hour, and a browser comes back to it after 2 s: nobody needs to hear of that. */
const graceMs = 3_500;
const [firstRetryMs, lastRetryMs] = [1_000, 15_000];

let current: Live = { state: 'connecting', since: Date.now() };
const listeners = new Set<() => void>();

function setState(state: Live['state']): void {
  if (current.state === state) return;
  current = { state, since: Date.now() };
  for (const notify of listeners) notify();
}

const subscribe = (notify: () => void): (() => void) => {
  listeners.add(notify);
  return () => void listeners.delete(notify);
};

export const useLive = (): Live => useSyncExternalStore(subscribe, () => current);

/** Follows the events of Setpoint until the returned function is called; the answers that they make old are asked for again. */
export function follow(queryClient: QueryClient): () => void {
  const timers: { lost?: number; retry?: number } = {};
  /** By the word that they ask for again: a burst of events starts one of each. */
  const rests = new Map<string, number>();
  // why: before the stream opens, an answer may be older than an event that the stream does not have
  let [last, retryMs, isMissing]: [string, number, boolean] = ['', firstRetryMs, true];
  let source: EventSource | undefined;

  const outdate = (word: string): void => {
    if (rests.has(word)) return;
    const ask = (): void => {
      rests.delete(word);
      renew(queryClient, [word]);
    };
    rests.set(word, window.setTimeout(ask, restMs(word)));
  };
  const everything = (): void => renew(queryClient, []);

  const onOpen = (): void => {
    window.clearTimeout(timers.lost);
    timers.lost = undefined;
    retryMs = firstRetryMs;
    setState('live');
    if (isMissing) everything();
    isMissing = false;
  };
  const onError = (): void => {
    timers.lost ??= window.setTimeout(() => {
      isMissing = true;
      setState('lost');
    }, graceMs);
    if (source?.readyState !== EventSource.CLOSED) return;
    // why: the browser tells no status. A 401 ends the session, and a request says so.
    void queryClient.invalidateQueries({ queryKey: ['whoami'] });
    // why: a browser gives up on an answer that is no stream, such as a 503 of a server that stops
    window.clearTimeout(timers.retry);
    timers.retry = window.setTimeout(open, retryMs);
    retryMs = Math.min(lastRetryMs, retryMs * 2);
  };
  const open = (): void => {
    // why: else a retry would close the stream that this opens
    window.clearTimeout(timers.retry);
    source?.close();
    // why: a new stream without a place begins now, and the browser tells no place before the first event
    isMissing ||= source !== undefined && last === '';
    source = new EventSource(last === '' ? '/v1/events' : `/v1/events?after=${encodeURIComponent(last)}`);
    source.onopen = onOpen;
    source.onerror = onError;
    source.addEventListener('reset', ({ lastEventId }) => {
      last = lastEventId;
      everything();
    });
    for (const [type, words] of Object.entries(outdated))
      source.addEventListener(type, ({ lastEventId }) => {
        last = lastEventId;
        words.forEach(outdate);
      });
  };
  const again = (): void => {
    if (current.state !== 'live') open();
  };

  open();
  window.addEventListener('online', again);
  return () => {
    window.removeEventListener('online', again);
    for (const timer of [...Object.values(timers), ...rests.values()]) window.clearTimeout(timer);
    source?.close();
    setState('connecting');
  };
}
