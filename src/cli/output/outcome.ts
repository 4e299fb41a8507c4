import {
  type Action,
  beginsGrace,
  type Finding,
  isHeldByGrace,
  type Verb,
  verbKey,
  type WithholdCode,
} from '../../core/action.ts';
import { type Entry, type EntryVerb, entriesOf } from '../../core/render/summary.ts';
import type { Address, Kind } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Converged } from '../../engine/converge.ts';
import type { Failing } from '../../engine/ports.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { ApplyOutcome } from '../local/apply.ts';
import type { Paint } from './print.ts';

/**
 * The result of an approved plan, by changes as people see them. Of a change that is half done, each half is listed by its own
 * result.
 */
export interface ApplyResult {
  readonly done: readonly Entry[];
  /** Deleted later: their grace began. */
  readonly inGrace: readonly Entry[];
  readonly failed: readonly Failing[];
  /** Approved and not done: withheld, or not reached. Another field has the reason, where it is known. */
  readonly left: readonly Entry[];
  /** Not done because something forbids it; `stale` ones among them. */
  readonly refused: readonly RefusedChange[];
  /** Of the last observation of every scope: listings that failed, and work that waits for a person. */
  readonly open: readonly Finding[];
  /** `calls`: those that change something, as a plan predicts them; reads are not among them. */
  readonly ended: { readonly stopped: boolean; readonly calls: number };
}

export interface RefusedChange {
  readonly address: Address;
  readonly verb: Verb;
  readonly kind?: Kind;
  readonly why: string;
  /** A person named this very address: that it stays is a part of what was asked for left undone. */
  readonly chosen?: true;
}

export function applyResultOf(
  approved: readonly Action[],
  stale: readonly RefusedChange[],
  { scopes, idle }: ApplyOutcome,
): ApplyResult {
  const reconciles = scopes.flatMap((scope) => scope.rounds);
  const isOver = settledOrGone(scopes);
  const failed = new Map(reconciles.flatMap((reconcile) => reconcile.failed.map((one) => [one.address, one] as const)));
  const entries = entriesOf(approved);
  const paused = pausedSince(approved, scopes);
  const isReported = ({ address }: Action): boolean =>
    failed.has(address) || paused.some((one) => one.address === address);
  return {
    done: entries.flatMap(({ actions }) =>
      entriesOf(actions.filter((action) => isOver(action.address) && !beginsGrace(action))),
    ),
    inGrace: entriesOf(approved.filter((action) => beginsGrace(action) && isOver(action.address))),
    failed: [...failed.values()].filter(({ address }) => !isOver(address)),
    left: entries
      .filter(({ actions }) => !actions.some(isReported))
      .flatMap(({ actions }) => entriesOf(actions.filter(({ address }) => !isOver(address)))),
    refused: [...stale, ...refusedBy(scopes), ...paused],
    open: [...idle, ...scopes.flatMap(({ last }) => last?.plan ?? [])].flatMap(({ findings }) =>
      findings.filter(isOpen),
    ),
    ended: {
      stopped: scopes.some(({ outcome }) => outcome === 'stopped'),
      calls: reconciles.reduce((sum, { calls }) => sum + calls.writes, 0),
    },
  };
}

/**
 * True where nothing is left to do about an address. The last observation decides: an answer that was lost may have been a success
 * all the same, and what was settled may not have stuck. Where the end came before that observation, only settlements count.
 */
function settledOrGone(scopes: readonly Converged[]): (address: Address) => boolean {
  const settled = new Set(
    scopes.flatMap(({ rounds: reconciles }) =>
      reconciles.flatMap((reconcile) => reconcile.settled.map((one) => one.address)),
    ),
  );
  const looked = scopes.every(({ last }) => last !== undefined);
  const open = new Set(
    scopes.flatMap(({ outcome, last }) =>
      [...(last?.plan.actions ?? []), ...(last?.plan.findings ?? [])].flatMap((one) =>
        'address' in one && !isHeldByGrace(one) && !(outcome === 'stopped' && settled.has(one.address))
          ? [one.address]
          : [],
      ),
    ),
  );
  return (address) => !open.has(address) && (looked || settled.has(address));
}

/** Limits and the like, found while applying. What was never approved is not refused: nobody asked for it. */
function refusedBy(scopes: readonly Converged[]): readonly RefusedChange[] {
  const findings = scopes.flatMap(({ rounds: reconciles }) => reconciles.flatMap((reconcile) => reconcile.findings));
  const byAddress = new Map(findings.flatMap((found) => (isRefusal(found) ? [[found.address, found] as const] : [])));
  return [...byAddress.values()].map(({ address, action, kind, why }) => ({ address, verb: action, kind, why }));
}

/** Approved actions that somebody paused since, or whose window closed: the last observation found them held. */
function pausedSince(approved: readonly Action[], scopes: readonly Converged[]): readonly RefusedChange[] {
  const asked = new Set(approved.map(verbKey));
  const findings = scopes.flatMap(({ last }) => last?.plan.findings ?? []);
  return findings.flatMap((found) =>
    isRefusal(found) && heldByTime.has(found.code) && asked.has(verbKey({ verb: found.action, address: found.address }))
      ? [{ address: found.address, verb: found.action, kind: found.kind, why: found.why }]
      : [],
  );
}

const isOpen = (finding: Finding): boolean => isUnseen(finding) || isBlocked(finding);
const isUnseen = ({ type }: Finding): boolean => type === 'incomplete' || type === 'wrong-account';
const isBlocked = ({ type }: Finding): boolean =>
  type === 'blocked' || type === 'non-convergent' || type === 'foreign-store' || type === 'unrecorded-mark';

export type Withheld = Extract<Finding, { readonly type: 'withheld' }>;
export const isRefusal = (finding: Finding): finding is Withheld =>
  finding.type === 'withheld' && refusing.has(finding.code);

const heldByTime: ReadonlySet<WithholdCode> = new Set(['paused', 'window', 'freeze']);
const refusing: ReadonlySet<WithholdCode> = new Set(['protect', 'limit', 'mode', 'policy', 'approvals', ...heldByTime]);

/**
 *   what came of it                         | nothing done | something done
 *   ----------------------------------------+--------------+---------------
 *   failed, not done, stopped, or not seen  | 1            | 4
 *   blocked: waits for a person             | 3            | 4
 *   refused, and chosen by a person         | 3            | 4
 *   refused                                 | 3            | 3
 *   none of these                           | 0            | 0
 */
export function exitOf({ done, inGrace, failed, left, refused, open, ended }: ApplyResult): ExitCode {
  const partly = done.length + inGrace.length > 0 ? exitCodes.partly : undefined;
  if (failed.length + left.length > 0 || ended.stopped || open.some(isUnseen)) return partly ?? exitCodes.error;
  if (open.some(isBlocked) || refused.some(({ chosen }) => chosen)) return partly ?? exitCodes.refused;
  return refused.length > 0 ? exitCodes.refused : exitCodes.done;
}

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
  result: ApplyResult,
  generation: number,
  paint: Paint,
): readonly [verdict: string, body: string] {
  const code = exitOf(result);
  const word = code === exitCodes.done || result.done.length + result.inGrace.length > 0 ? 'Applied' : 'Not applied';
  const parts = [
    `${word}: ${counts(result.done)}`,
    ...some(result.inGrace.length, 'to be deleted after their grace'),
    ...some(result.failed.length, 'failed'),
    ...some(result.left.length, 'not done'),
    ...some(result.refused.length, 'refused'),
    ...some(result.open.length, 'open'),
    ...(result.ended.stopped ? ['stopped'] : []),
    `generation ${generation}`,
    `${result.ended.calls} ${result.ended.calls === 1 ? 'call' : 'calls'}`,
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
function body({ done, failed, left, refused, open }: ApplyResult, paint: Paint): readonly string[] {
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

/** One line for everything that one cause holds open in a scope: a cloud that cannot be listed would fill the screen. */
function openLines(open: ApplyResult['open']): readonly string[] {
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
export function outcomeJson(result: ApplyResult, generation: number): object {
  const { done, inGrace, left, ended, ...rest } = result;
  const entries = { done: done.map(short), inGrace: inGrace.map(short), left: left.map(short) };
  return { ...rest, ...ended, ...entries, generation, exitCode: exitOf(result) };
}

const short = ({ verb, kind, address }: Entry): object => ({ verb, kind, address });
