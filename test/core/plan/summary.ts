import type { Action, Finding, ScopePlan } from '../../../src/core/action.ts';
import { scope } from './fixture.ts';

const short = (address: string): string => address.slice(scope.length + 1);

function line(entry: Action | Finding): string {
  if ('verb' in entry)
    return `${entry.verb} ${short(entry.address)}${'because' in entry && entry.because !== 'absent' ? ` (${entry.because})` : ''}`;
  const code = 'code' in entry ? `: ${entry.code}` : '';
  if ('address' in entry) return `${entry.type} ${short(entry.address)}${code}`;
  return `${entry.type} ${'id' in entry ? entry.id : ''}${entry.type === 'incomplete' ? entry.kind : ''}${code}`;
}

/** One line for each action and finding, in their order. */
export const summary = ({ actions, findings }: ScopePlan): string[] => [...actions, ...findings].map(line);
