import type { Action } from '../../core/action.ts';
import { printable } from '../../core/text.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { type BreakGlassRequest, type BrokenGlass, passingBy } from '../local/apply.ts';
import type { ObservedEstate } from '../local/observe.ts';
import { count } from './format.ts';
import { paintFor } from './print.ts';

type Lift = BreakGlassRequest['lifts'][number];

/** The texts of each guard that a person may lift, in the order of the options. */
const words: Readonly<Record<Lift, Readonly<Record<'flag' | 'purpose' | 'guards' | 'none', string>>>> = {
  calendars: {
    flag: '--break-glass',
    purpose: 'passes the change windows and freezes of others',
    guards: 'change windows and freezes',
    none: 'no change window and no freeze',
  },
  approvals: {
    flag: '--without-approvals',
    purpose: 'does without the approvals of others',
    guards: 'missing approvals',
    none: 'no missing approval',
  },
};

const wordsOf = ({ lifts }: BreakGlassRequest, word: keyof (typeof words)[Lift], between: string): string =>
  lifts.map((lift) => words[lift][word]).join(between);

interface Options {
  readonly breakGlass?: boolean;
  readonly withoutApprovals?: boolean;
  readonly reason?: string;
}

/** Undefined where the command line lifts nothing. Throws where it has no reason. */
export function breakGlassOf({
  breakGlass = false,
  withoutApprovals = false,
  reason,
}: Options): BreakGlassRequest | undefined {
  const asked: Readonly<Record<Lift, boolean>> = { calendars: breakGlass, approvals: withoutApprovals };
  const lifts = (['calendars', 'approvals'] as const).filter((lift) => asked[lift]);
  const [first] = lifts;
  if (first === undefined) return undefined;
  if (reason !== undefined) return { lifts, reason };
  throw new UserError(`${words[first].flag} needs a reason.`, {
    why: `It ${words[first].purpose}, and the ledger says why.`,
    next: 'Add a reason: --reason "…"',
  });
}

/** As the plan grants it. */
export const liftsIn = (request: BreakGlassRequest | undefined) => ({
  breakGlass: request?.lifts.includes('calendars') === true,
  withoutApprovals: request?.lifts.includes('approvals') === true,
});

/** Loud, and before the question: a line for each window, freeze or missing approval that it passes. */
export async function printBreakGlass(
  view: ObservedEstate<Store>,
  { approved, request }: { readonly approved: readonly Action[]; readonly request: BreakGlassRequest | undefined },
  { terminal }: Context,
): Promise<void> {
  if (request === undefined) return;
  const passing = await passingBy(view, request, approved);
  const byReason = Map.groupBy([...passing.values()].flat(), (why) => why);
  const lines =
    passing.size === 0
      ? [`${wordsOf(request, 'flag', ' ')} has no effect: ${wordsOf(request, 'none', ' and ')} holds these changes.`]
      : [
          `BREAK GLASS: ${count(passing.size, 'change passes', 'changes pass')} ${wordsOf(request, 'guards', ' and ')}: ${request.reason}`,
          ...[...byReason].map(([why, all]) => `  ${count(all.length, 'change')} ${why}`),
        ];
  const paint = paintFor(terminal.err);
  terminal.err.write(`${lines.map((line) => paint('bad', printable(line))).join('\n')}\n`);
}

/** After it was done. */
export const brokenGlassText = ({ changes, reason, seq }: BrokenGlass, request: BreakGlassRequest): string =>
  printable(
    `  BREAK GLASS: ${wordsOf(request, 'none', ' and ')} held ${count(changes, 'change')} (ledger entry ${seq}): ${reason}`,
  );
