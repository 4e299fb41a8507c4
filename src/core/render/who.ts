import { type Authorship, type Change, opens, portText, type WhoReport } from '../inventory/authors.ts';
import { nameIn, type RuleAttributes } from '../resource.ts';
import { printable } from '../text.ts';
import { lastModifiedByJson } from './plan-json.ts';
import { isHeardIn } from './plan-text.ts';
import { ruleText } from './rule-text.ts';
import { type Ago, healingTexts, type Paint, shortRevision, touchedText } from './wording.ts';

/** The answer of `setpoint who` as data, for `--json`. */
export const whoJson = ({ subject, port, found, incomplete, truncated, auditLogs }: WhoReport) => ({
  subject,
  port: port?.port,
  protocol: port?.protocol,
  resources: found.map(authorshipJson),
  incompleteScopes: incomplete,
  truncated,
  auditLogs,
});

const authorshipJson = ({ scope, kind, address, object, rule, healing, changes }: Authorship) => ({
  scope,
  kind,
  address,
  id: object?.observed.id,
  name: object?.observed.name,
  claim: object?.claim,
  reason: object?.why,
  healing,
  rule: object?.observed.kind === 'firewall-rule' ? object.observed.attributes : rule,
  formerRule: object === undefined ? undefined : rule,
  changes: changes.map(changeJson),
});

function changeJson(change: Change) {
  if (change.source === 'event') {
    const { source, container, by } = change;
    return { source, ...lastModifiedByJson(by), container };
  }
  const { source, write, authors } = change;
  const { at, approver, verb, outcome, revision, generation, seq, reconcileId, calls, undid } = write;
  return {
    ...{ source, at, actor: approver, verb, outcome, revision, generation, authors, seq, reconcileId, calls },
    undid: undid && lastModifiedByJson(undid),
  };
}

type OwnChange = Extract<Change, { readonly source: 'ledger' }>;

interface How {
  readonly paint: Paint;
  readonly ago: Ago;
}

/** The verdict in one line, then each object with the known changes of it, the newest first. */
export function whoText(given: WhoReport, how: How): string {
  const report = printable(given);
  const { found, incomplete, truncated } = report;
  const unlisted = incomplete.map(
    (scope) =>
      `! The rules of ${scope} were not listed completely: others may open it. Find the cause with: setpoint doctor`,
  );
  const sections = found.flatMap((one) => ['', ...authorshipLines(one, report, how)]);
  const cut = truncated
    ? ['! Only the newest changes of rules were read: other rules may have opened it in the last 7 days.']
    : [];
  return `${[how.paint('strong', verdictOf(report)), ...unlisted, ...cut, ...sections].join('\n')}\n`;
}

function verdictOf({ subject, port, found, incomplete }: WhoReport): string {
  if (port === undefined) return subject;
  // why: only rules are found by a port, and they have these attributes
  const n = found.filter(({ object }) => object && opens(object.observed.attributes as RuleAttributes, port)).length;
  const closed = found.length - n;
  const before =
    closed === 0
      ? ''
      : `; ${closed} ${closed === 1 ? 'rule' : 'rules'} opened it in the last 7 days, and Setpoint removed or changed ${closed === 1 ? 'it' : 'them'}`;
  if (n > 0) return `${portText(port)}: ${n} ${n === 1 ? 'rule opens' : 'rules open'} it${before}`;
  return `${portText(port)}: no ${incomplete.length === 0 ? 'observed' : 'listed'} rule opens it${before}`;
}

function authorshipLines(one: Authorship, report: WhoReport, how: How): readonly string[] {
  const { scope, kind, address, object, healing, changes, rule } = one;
  const { id = '', name = '' } = object?.observed ?? {};
  const shown = address === undefined ? name || id : nameIn(address, kind);
  const drift = healing === undefined || healing === 'none' ? '' : `, drifted: ${healingTexts[healing]}`;
  return [
    `${how.paint('strong', `${kind} ${shown}`)}  ${object === undefined ? 'nothing stands there' : standText(object)}${drift}`,
    ...(object?.observed.kind === 'firewall-rule' ? [`  ${ruleText(object.observed.attributes)}`] : []),
    ...(rule === undefined ? [] : [`  ${object === undefined ? '' : 'it was: '}${ruleText(rule)}`]),
    how.paint('dim', `  ${scope}`),
    ...(id === '' || id === shown ? [] : [how.paint('dim', `  ${id}`)]),
    ...changes.flatMap((change) => changeLines(change, how)),
    ...(changes.length === 0 ? [how.paint('note', `  ${unknownText(scope, report)}`)] : []),
    ...(isOfUnknownMaker(one) ? [how.paint('note', `  ${unknownMakerText(scope, report)}`)] : []),
  ];
}

const standText = ({ claim, why }: NonNullable<Authorship['object']>): string =>
  why === 'wanted' ? claim : `${claim}: ${why}`;

const unknownText = (scope: string, { auditLogs }: WhoReport): string =>
  isHeardIn(scope, auditLogs)
    ? 'nobody told: no event and no entry of the ledger names a change of it'
    : 'unknown: no webhook brings the audit log of its cloud, and no entry of the ledger names a change of it';

/** A rule that Setpoint removed without an entry that it made it: somebody else did. */
const isOfUnknownMaker = ({ kind, object, changes }: Authorship): boolean =>
  kind === 'firewall-rule' &&
  object === undefined &&
  changes.length > 0 &&
  changes.every((one) => one.source === 'ledger' && one.write.undid === undefined && !begins.has(one.write.verb));

const begins: ReadonlySet<string> = new Set(['create', 'adopt']);

const unknownMakerText = (scope: string, { auditLogs }: WhoReport): string =>
  isHeardIn(scope, auditLogs)
    ? 'the newest entries of the ledger have no creation of it, and no event names its maker'
    : 'the newest entries of the ledger have no creation of it, and no webhook brings the audit log of its cloud: its maker is unknown';

function changeLines(change: Change, how: How): readonly string[] {
  if (change.source === 'ledger') return writeLines(change, how);
  const { by, container } = change;
  const of = container === undefined ? '' : `; the event names only ${container}, in which it lies`;
  return [
    `  ${how.paint('note', `${touchedText(by, how.ago)}${of}`)}`,
    how.paint('dim', `    ${by.requestId === undefined ? '' : `request ${by.requestId}, `}event ${by.event}`),
  ];
}

/** ` by ann@acme.example, eve@acme.example and others`; nothing where they are unknown. */
function authorsText(authors: OwnChange['authors']): string {
  if (authors === undefined || authors.names.length === 0) return '';
  const shown = authors.names.slice(0, mostAuthors);
  const others = authors.more || shown.length < authors.names.length ? ' and others' : '';
  return ` by ${shown.join(', ')}${others}`;
}

const mostAuthors = 3;

/** The first few: a batch may share many calls. */
function callTexts(calls: readonly string[]): readonly string[] {
  const each = [...new Set(calls)];
  const rest = each.length - mostCalls;
  return rest > 0 ? [...each.slice(0, mostCalls), `${rest} more ${rest === 1 ? 'call' : 'calls'}`] : each;
}

const mostCalls = 3;

/** `create by Setpoint 3 d ago (…), generation 3 (commit 1a2b3c4 by eve), approved by ann`, and its calls. */
function writeLines({ write, authors }: OwnChange, { paint, ago }: How): readonly string[] {
  const { verb, at, generation, revision, approver, outcome, calls, seq, undid } = write;
  const open = outcome === 'open' ? ', without an answer yet' : '';
  const approved = approver === 'setpoint' ? 'unattended' : `approved by ${approver}`;
  const made = calls.map(({ action, requestId }) => `${action}${requestId === undefined ? '' : ` ${requestId}`}`);
  return [
    `  ${verb} by Setpoint ${ago(at)}${open}, generation ${generation} (${shortRevision(revision)}${authorsText(authors)}), ${approved}`,
    paint('dim', `    ${[...callTexts(made), `ledger entry ${seq}`].join(', ')}`),
    ...(undid === undefined ? [] : [`    it undid: ${touchedText(undid, ago)}`]),
  ];
}
