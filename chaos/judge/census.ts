import type { Control } from '../../sandbox/control.ts';
import type { TrialCloud } from '../specs.ts';
import { censusOfAws } from './aws.ts';
import { censusOfAzure } from './azure.ts';
import { censusOfGcp } from './gcp.ts';

/** All that an account holds, by the sandbox's own word: one line an object, without ids, sorted. Nobody but us is in it. */
export const censusOf = (cloud: TrialCloud, control: Control): readonly string[] => takers[cloud](control).toSorted();

const takers: Readonly<Record<TrialCloud, (control: Control) => readonly string[]>> = {
  aws: censusOfAws,
  gcp: censusOfGcp,
  azure: censusOfAzure,
};

/** What one list has oftener than the other: `+ …` is there and should not be, `- …` is missing. */
export function differences(found: readonly string[], wanted: readonly string[]): readonly string[] {
  const more = without(found, wanted).map((line) => `+ ${line}`);
  const less = without(wanted, found).map((line) => `- ${line}`);
  return [...more, ...less];
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
