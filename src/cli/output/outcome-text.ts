import type { Entry, EntryVerb } from '../../core/render/summary.ts';
import { printable } from '../../core/text.ts';
import { exitCodes } from '../exit-code.ts';
import { exitOf, type Result } from './outcome.ts';
import type { Paint } from './paint.ts';

const symbols: Readonly<Record<EntryVerb, string>> = {
  create: '+',
  update: '~',
  replace: '-/+',
  delete: '-',
  adopt: '+',
  forget: '·',
};

/** `Applied: 3 added, 1 changed, 0 replaced, 0 deleted · generation 4 · 41 calls`; what was not done follows, then what was. */
export function outcomeText(
  result: Result,
  generation: number,
  paint: Paint,
): readonly [verdict: string, body: string] {
  const code = exitOf(result);
  const word = code === exitCodes.done || result.done.length > 0 ? 'Applied' : 'Not applied';
  const parts = [
    `${word}: ${counts(result.done)}`,
    ...some(result.failed.length, 'failed'),
    ...some(result.left.length, 'not done'),
    ...some(result.refused.length, 'refused'),
    ...some(result.open.length, 'open'),
    ...(result.ended.stopped ? ['stopped'] : []),
    `generation ${generation}`,
    `${result.ended.calls} calls`,
  ];
  return [
    paint(code === exitCodes.done ? 'good' : 'bad', parts.join(' · ')),
    body(printable(result), paint).join('\n'),
  ];
}

const some = (n: number, what: string): readonly string[] => (n > 0 ? [`${n} ${what}`] : []);

function counts(done: readonly Entry[]): string {
  const of = (verb: EntryVerb): number => done.filter((entry) => entry.verb === verb).length;
  const adopted = of('adopt') > 0 ? `, ${of('adopt')} adopted` : '';
  return `${of('create')} added, ${of('update')} changed, ${of('replace')} replaced, ${of('delete')} deleted${adopted}`;
}

/** After a whole success nothing is left to say: the plan has said it. Addresses are whole: there may be many scopes. */
function body({ done, failed, left, refused, open }: Result, paint: Paint): readonly string[] {
  if (failed.length + left.length + refused.length + open.length === 0) return [];
  return [
    ...failed.map(({ address, verb, failure }) =>
      paint('bad', `  failed    ${verb} ${address}: ${failure.code}: ${failure.message}${request(failure.requestId)}`),
    ),
    ...refused.map(({ address, verb, why }) => paint('warn', `  refused   ${verb} ${address}: ${why}`)),
    ...openLines(open).map((line) => paint('bad', line)),
    ...left.map((entry) => paint('warn', `  not done  ${nameOf(entry)}`)),
    ...done.map((entry) => paint('good', `  done      ${nameOf(entry)}`)),
  ];
}

/** What one cause holds open in a scope is one line: a cloud that cannot be listed would fill the screen. */
function openLines(open: Result['open']): readonly string[] {
  const byCause = Map.groupBy(open, ({ scope, why }) => `${scope}\n${why}`);
  return [...byCause.values()].flatMap(([first, ...rest]) => {
    if (first === undefined) return [];
    const subject = 'address' in first ? first.address : first.scope;
    return [`  open      ${subject}${rest.length === 0 ? '' : ` and ${rest.length} more`}: ${first.why}`];
  });
}

const nameOf = ({ verb, address }: Entry): string => `${symbols[verb]} ${address}`;
const request = (id: string | undefined): string => (id === undefined ? '' : ` (request ${id})`);

/** The same as one object. */
export function outcomeJson(result: Result, generation: number): object {
  const { done, left, ended, ...rest } = result;
  return { ...rest, ...ended, done: done.map(short), left: left.map(short), generation, exitCode: exitOf(result) };
}

const short = ({ verb, kind, address }: Entry): object => ({ verb, kind, address });
