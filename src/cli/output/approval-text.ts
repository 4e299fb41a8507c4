import { InvalidArgumentError } from 'commander';
import type { ScopePlan } from '../../core/action.ts';
import { requirementText } from '../../core/plan/required-approvals.ts';
import { boundedIn } from '../../core/plan/tally.ts';
import { approvalJson, refusalJson, requiredJson } from '../../core/render/approval-json.ts';
import { planText } from '../../core/render/plan-text.ts';
import { entriesOf } from '../../core/render/summary.ts';
import { type Ago, formatMoment, moment, type Paint, shortRevision } from '../../core/render/wording.ts';
import { shortAddress } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import type { Approval } from '../../ports/fleet-state.ts';
import type { Generation } from '../../ports/knowledge.ts';
import type { Approvable, RequiredApproval, ShownRefusal } from '../../ports/queries.ts';
import { count, formatDuration } from './format.ts';

/** The actions that a person is asked to approve. `generation`: of the specs, or, where `accepts` says so, their next one. */
export interface PendingApprovals extends Approvable {
  readonly estate: string;
  readonly revision: string;
  readonly digest: string;
  readonly generation: number;
  /** Of these actions. */
  readonly refusals: readonly ShownRefusal[];
  /** There are more, of earlier times. */
  readonly refusalsTruncated: boolean;
  readonly accepts?: { readonly after?: Generation };
}

/** For stderr: the first line of stdout is the verdict of the outcome. */
export function pendingApprovalsText(offer: PendingApprovals, paint: Paint, ago: Ago = moment): string {
  if (offer.plans.every(({ actions, findings }) => actions.length + findings.length === 0)) return '';
  const plan = planText(offer.plans, { revision: offer.revision, paint, ago });
  const required = offer.required.map((one) => `${paint('note', `  ! ${printable(requiredText(one))}`)}\n`).join('');
  const refused = refusalLines(offer)
    .map((line) => `${paint('note', `  ! ${line}`)}\n`)
    .join('');
  return `${plan}\n${required}${refused}Digest: ${printable(offer.digest.slice(0, shownDigits))}\n`;
}

/** A line for each refusal, whatever the number of its scopes: `refused by ann: the image is not scanned yet (2 of 5 actions)`. */
function refusalLines({ plans, refusals, refusalsTruncated }: PendingApprovals): readonly string[] {
  const all = plans.reduce((sum, { actions }) => sum + actions.length, 0);
  const byWord = Map.groupBy(refusals, ({ by, digest }) => JSON.stringify([by.person, by.reason, digest]));
  const lines = [...byWord.values()].flatMap((parts) => {
    const [first] = printable(parts);
    const covered = parts.reduce((sum, { actions }) => sum + actions.length, 0);
    const part = covered === all ? '' : ` (${covered} of ${count(all, 'action')})`;
    if (first === undefined) return [];
    const reason = first.by.reason === undefined ? '' : `: ${first.by.reason}`;
    return [`refused by ${first.by.person}${reason}${part}`];
  });
  return refusalsTruncated ? [...lines, 'there are older refusals: setpoint ledger'] : lines;
}

/** Says all that a refusal does. */
export function refusalQuestionText({ plans }: PendingApprovals): string {
  const changes = changesIn(plans);
  const [which, them] = changes === 1 ? ['this change', 'it'] : [`these ${count(changes, 'change')}`, 'them'];
  return `Refuse ${which}, for all to read? It forbids nothing: somebody may still approve ${them}.`;
}

/** The refused actions, and the entries in the ledger. */
export function refusalText(
  { estate, generation, digest, plans }: PendingApprovals,
  refusals: readonly ShownRefusal[],
): readonly [verdict: string, body: string] {
  const parts = [
    `Refused: ${count(changesIn(plans), 'change')} of ${printable(estate)}`,
    `generation ${generation}`,
    `digest ${printable(digest.slice(0, shownDigits))}`,
  ];
  const entries = printable(refusals).map(({ scope, seq }) => `  ${scope}: ledger entry ${seq ?? 'not shown to you'}`);
  return [parts.join(' · '), [...entries, '  Others see it when they approve: setpoint approve'].join('\n')];
}

/** The same as one object. */
export const refusalsJson = (refusals: readonly ShownRefusal[]): object => ({ refusals: refusals.map(refusalJson) });

/** Says all that a yes does. */
export function questionText({ plans, ...offer }: PendingApprovals, until: number): string {
  const { estate, generation, accepts, free } = printable(offer);
  const actions = plans.flatMap((plan) => plan.actions);
  const changes = changesIn(plans);
  const which = changes === 1 ? 'this change' : `these ${count(changes, 'change')}`;
  const ask = `Allow workers to make ${which} until ${formatMoment(until)}?${boundedText(actions)}`;
  if (accepts === undefined) return ask;
  const { after } = accepts;
  const lapse =
    after === undefined ? '' : `, after ${after.number} (${shortRevision(after.revision)}), whose approvals end`;
  const rest =
    free === 0
      ? ''
      : `\n${count(free, 'other change needs', 'other changes need')} no approval and will be made at once.`;
  return `These specs are not active. They become generation ${generation} of ${estate}${lapse}.${rest}\n${ask}`;
}

/** The limited changes among the actions. */
function boundedText(actions: ScopePlan['actions']): string {
  const { destroys, creates, closures } = boundedIn(actions);
  const parts = [
    ...(destroys === 0 ? [] : [count(destroys, 'delete or replace', 'deletes or replaces')]),
    ...(creates === 0 ? [] : [count(creates, 'new machine')]),
    ...(closures === 0 ? [] : [`${count(closures, 'closure of a rule', 'closures of rules')} that no document states`]),
  ];
  return parts.length === 0 ? '' : ` ${parts.join(', ')} among them.`;
}

/** As plans count them: by documents. */
const changesIn = (plans: PendingApprovals['plans']): number =>
  plans.reduce((sum, { actions }) => sum + entriesOf(actions).length, 0);

/** `missing`: requirements that it does not meet. */
interface GivenText {
  readonly given: readonly Approval[];
  readonly missing: readonly RequiredApproval[];
  readonly breakGlass: boolean;
}

/** `delete instance web-0: its protection was lifted, …` */
const requiredText = (one: RequiredApproval): string =>
  `${one.verb} ${shortAddress(one.address)}: ${requirementText([one])}`;

/** The approved actions, the end of the approval, and the command that shows the result. */
export function approvalText(
  { estate, generation, digest, plans }: PendingApprovals,
  { given, missing, breakGlass }: GivenText,
  now: number,
): readonly [verdict: string, body: string] {
  const until = Math.min(...given.map((approval) => approval.until));
  const parts = [
    `Approved: ${count(changesIn(plans), 'change')} of ${printable(estate)}`,
    `generation ${generation}`,
    `until ${formatMoment(until)} (${formatDuration(until - now)})`,
    `digest ${printable(digest.slice(0, shownDigits))}`,
  ];
  const entries = printable(given).map(({ scope, seq }) => `  ${scope}: ledger entry ${seq}`);
  const broken = breakGlass ? ['  BREAK GLASS: these changes pass change windows and freezes.'] : [];
  const more = missing.map((one) => `  Not enough yet: ${printable(requiredText(one))}`);
  return [
    parts.join(' · '),
    [...broken, ...more, ...entries, '  To see the result: setpoint status, and setpoint ledger'].join('\n'),
  ];
}

/** The same as one object. */
export const approvalsJson = (given: readonly Approval[], missing: readonly RequiredApproval[] = []): object => ({
  approvals: given.map(approvalJson),
  missing: missing.map(requiredJson),
});

/** So much of a digest is shown, and enough to name one. */
export const shownDigits = 12;

/** The digest of a plan, or the beginning of it that was shown. A parser of options. */
export function parseDigest(text: string): string {
  if (new RegExp(`^[0-9a-f]{${shownDigits},64}$`).test(text)) return text;
  throw new InvalidArgumentError(`Write at least ${shownDigits} digits of the digest.`);
}
