import { count } from './count.ts';

/** How many calls may still reach a cloud, after a person's word that holds them. */
export const onTheWayText = (calls: number): string =>
  calls === 0
    ? '  No call is on its way.'
    : `  ${count(calls, 'call is', 'calls are')} still on the way: sent before, and not answered yet. No other is sent.`;
