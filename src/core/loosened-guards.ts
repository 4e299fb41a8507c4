import { byStrictness } from './desired.ts';
import { type GracePeriods, graceLength, usualGrace } from './grace.ts';
import type { Guards } from './guards.ts';
import { kindNames } from './kinds/kinds.ts';
import { type CostLimit, fieldOf, type Limits, mostOf, sorts } from './limits.ts';
import { type RemediationGuards, remediations } from './remediation.ts';
import { type Address, shortAddress } from './resource.ts';

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
    ...namedChanges('policy', before.enforced, after.enforced),
    ...namedChanges('window', before.calendar?.windows, after.calendar?.windows),
    ...namedChanges('freeze', before.calendar?.freezes, after.calendar?.freezes),
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
    const more = names.length > most ? ` and ${names.length - most} more` : '';
    return `${guard} of ${names.slice(0, most).join(', ')}${more}`;
  });
}

const most = 5;

type Named = { readonly name: string };

function namedChanges(
  what: string,
  before: readonly Named[] | undefined = [],
  after: readonly Named[] | undefined = [],
): readonly string[] {
  const still = new Map(after.map((one) => [one.name, JSON.stringify(one)]));
  return before.flatMap((one) => {
    const text = still.get(one.name);
    if (text === undefined) return [`${what} ${one.name} (goes)`];
    return text === JSON.stringify(one) ? [] : [`${what} ${one.name} (changes)`];
  });
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
