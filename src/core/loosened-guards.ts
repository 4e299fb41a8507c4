import { byStrictness } from './desired.ts';
import { type GracePeriods, graceLength, usualGrace } from './grace.ts';
import type { Guards } from './guards.ts';
import { kindNames } from './kinds/kinds.ts';
import { canonical } from './ledger/canonical.ts';
import { type CostLimit, fieldOf, type Limits, mostOf, sorts } from './limits.ts';
import type { PolicyRules } from './policy/rules.ts';
import { type RemediationGuards, remediations } from './remediation.ts';
import { type Paint, plain } from './render/wording.ts';
import { type Address, shortAddress } from './resource.ts';
import { printable } from './text.ts';

/**
 * The guards that one generation has and a later one would have looser, for people: `limits.deletes 5 → 50`, `protect of network core`.
 * `isMeant`: of guards of documents only these; absent: all, and those of estate, targets and policies too. A changed policy, window or
 * freeze counts, as nobody can tell whether it is looser.
 */
export function loosenedGuards(
  before: Guards,
  after: Guards,
  isMeant?: (document: Address) => boolean,
): readonly string[] {
  const ofDocuments = documentsLoosened(before, after, isMeant ?? (() => true));
  if (isMeant !== undefined) return ofDocuments;
  return [
    ...limitsLoosened(before.limits, after.limits),
    ...ofDocuments,
    ...namedChanges(['policy', 'policies'], textsOf(before.enforced), textsOf(after.enforced)),
    ...namedChanges(['window', 'windows'], before.calendar?.windows, after.calendar?.windows),
    ...namedChanges(['freeze', 'freezes'], before.calendar?.freezes, after.calendar?.freezes),
    ...remediationLoosened(before.remediation?.scopes, after.remediation?.scopes),
    ...graceShortened(before.grace, after.grace),
  ];
}

function limitsLoosened(before: Limits, after: Limits): readonly string[] {
  const counted = sorts.map((sort) => [fieldOf[sort], mostOf(before, sort), mostOf(after, sort)] as const);
  const shareAfter = after.share ?? Number.POSITIVE_INFINITY;
  const isSameCurrency = before.cost?.currency === after.cost?.currency;
  const costAfter = after.cost !== undefined && isSameCurrency ? after.cost.monthly : Number.POSITIVE_INFINITY;
  return [
    ...counted.flatMap(([name, from, to]) => (to > from ? [`limits.${name} ${from} → ${to}`] : [])),
    ...(before.share !== undefined && shareAfter > before.share
      ? [`limits.share ${percent(before.share)} → ${after.share === undefined ? 'none' : percent(after.share)}`]
      : []),
    ...(before.cost !== undefined && costAfter > before.cost.monthly
      ? [`limits.cost ${costOf(before.cost)} → ${after.cost === undefined ? 'none' : costOf(after.cost)}`]
      : []),
  ];
}

const costOf = ({ monthly, currency }: CostLimit): string => `${monthly} ${currency}`;

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

function documentsLoosened(before: Guards, after: Guards, isMeant: (document: Address) => boolean): readonly string[] {
  const protectedAfter = new Set(after.protected);
  const loosened: (readonly [guard: string, document: Address])[] = [
    ...Object.entries({ ...before.ended, ...before.modes }).flatMap(([document, from]) => {
      const to = after.modes[document];
      return to !== undefined && byStrictness(from, to) < 0 ? [[`mode ${from} → ${to}`, document] as const] : [];
    }),
    ...before.protected.flatMap((document) => (protectedAfter.has(document) ? [] : [['protect', document] as const])),
    ...Object.entries(before.policies).flatMap(([document, from]) =>
      from === 'retain' && after.policies[document] === 'delete'
        ? [['deletionPolicy retain → delete', document] as const]
        : [],
    ),
    ...Object.entries(before.remediation?.documents ?? {}).flatMap(([document, from]) =>
      isRemediationLooser(from, remediationOf(document, after)) ? [['remediation', document] as const] : [],
    ),
  ];
  const meant = loosened.filter(([, document]) => isMeant(document));
  return [...Map.groupBy(meant, ([guard]) => guard)].map(([guard, all]) => {
    const names = [...new Set(all.map(([, document]) => shortAddress(document)))];
    return `${guard} of ${listed(names)}`;
  });
}

const most = 5;

const listed = (names: readonly string[]): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ` and ${names.length - most} more` : ''}`;

/** Without the scopes of their targets then: a new target loosens no policy. */
const textsOf = (policies: readonly PolicyRules[] = []): readonly Named[] =>
  policies.map(({ scopes: _, ...policy }) => policy);

type Named = { readonly name: string };

/** A record of the store may have its fields in another order. */
function namedChanges(
  [one, many]: readonly [one: string, many: string],
  before: readonly Named[] | undefined = [],
  after: readonly Named[] | undefined = [],
): readonly string[] {
  const still = new Map(after.map((guard) => [guard.name, canonical(guard)]));
  const gone = before.filter(({ name }) => !still.has(name));
  const changed = before.filter((guard) => still.has(guard.name) && still.get(guard.name) !== canonical(guard));
  const said = (guards: readonly Named[], [goes, go]: readonly [string, string]): readonly string[] => {
    const names = listed(guards.map(({ name }) => name));
    if (guards.length < 2) return guards.length === 0 ? [] : [`${one} ${names} (${goes})`];
    return [`${many} ${names} (${go})`];
  };
  return [...said(gone, ['goes', 'go']), ...said(changed, ['changes', 'change'])];
}

type RemediationRecord = RemediationGuards['scopes'][string];

/** A document that has no record of its own has that of its scope. */
function remediationOf(document: Address, { remediation }: Guards): RemediationRecord | undefined {
  const own = remediation?.documents[document];
  if (own !== undefined) return own;
  return Object.entries(remediation?.scopes ?? {}).find(([scope]) => document.startsWith(`${scope}/`))?.[1];
}

const isRemediationLooser = (before: RemediationRecord, after: RemediationRecord = {}): boolean =>
  Object.entries(before).some(([key, from]) => {
    const to = Object.entries(after).find(([other]) => other === key)?.[1] ?? 'heal';
    return remediations.indexOf(from) < remediations.indexOf(to);
  });

const remediationLoosened = (
  before: RemediationGuards['scopes'] = {},
  after: RemediationGuards['scopes'] = {},
): readonly string[] =>
  Object.entries(before).flatMap(([scope, from]) =>
    isRemediationLooser(from, after[scope]) ? [`remediation of ${scope}`] : [],
  );

const graceShortened = (before: GracePeriods = usualGrace, after: GracePeriods = usualGrace): readonly string[] =>
  kindNames.flatMap((kind) =>
    after[kind] < before[kind]
      ? [`deletionGracePeriod of ${kind} ${graceLength(before[kind])} → ${graceLength(after[kind])}`]
      : [],
  );

/** The section of a plan, and of the status; undefined where no guard becomes looser. */
export const looserGuardsText = (looser: readonly string[] = [], paint: Paint = plain): string | undefined =>
  looser.length === 0
    ? undefined
    : `${paint('strong', 'Looser guards:')} ${printable(looser).join('; ')}.\n  ${looserGuardsHint}`;

export const looserGuardsHint =
  'They still hold in this generation; the next change of the specs is made without them. To keep them, restore them first.';
