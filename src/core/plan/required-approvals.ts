import { isForgeAddress, personKeys } from '../access/person.ts';
import type { Action, Requirement, UnmetRequirement } from '../action.ts';
import { actionDigest, type Hash } from '../digest.ts';
import { formatMoment } from '../render/wording.ts';
import type { Address, CloudId, ScopeKey } from '../resource.ts';
import { unlessApproved } from './holds.ts';
import type { AssumedApproval, Hold } from './plan-input.ts';

/** The approval of one person for one action, in these roles. `until`: ms since the epoch. */
export interface Consent {
  /** Of its entry in the ledger. */
  readonly seq: number;
  readonly person: string;
  readonly until: number;
  /** All names that their credential proved; absent: it was given on the store, where anybody may claim any name. */
  readonly names?: readonly string[];
  readonly roles: readonly string[];
  /** It was spent by the beginning of a grace, and holds for its end. */
  readonly began?: true;
}

export type ConsentsOf = (action: Action) => readonly Consent[];

/** Nobody approved anything. */
export const noConsents: ConsentsOf = () => [];

/** An approval, as far as consents are read from it: see the port. */
interface Given extends Pick<Consent, 'seq' | 'until'> {
  readonly actions: readonly string[];
  readonly by: { readonly person: string };
  readonly approver?: {
    readonly names: readonly string[];
    readonly roles?: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * The consents of active approvals, by the digests of actions. `begun`: approvals by which the grace of an object began: they hold for
 * its deletion at the end, though they are spent.
 */
export function consentsBy(approvals: readonly Given[], hash: Hash, begun: readonly Given[] = []): ConsentsOf {
  if (approvals.length + begun.length === 0) return noConsents;
  const byDigest = new Map<string, Given[]>();
  for (const one of approvals)
    for (const digest of one.actions) byDigest.set(digest, [...(byDigest.get(digest) ?? []), one]);
  return (action) => {
    const digest = actionDigest(action, hash);
    const { approvals: numbers = [] } = graceOf(action) ?? {};
    return [
      ...begun
        .filter(({ seq }) => numbers.includes(seq))
        .map((one) => ({ ...consentOf(one, digest), began: true as const })),
      ...(byDigest.get(digest) ?? []).map((one) => consentOf(one, digest)),
    ];
  };
}

function consentOf({ seq, until, by, approver }: Given, digest: string): Consent {
  const { names, roles = {} } = approver ?? {};
  const own = Object.keys(roles).filter((role) => roles[role]?.includes(digest));
  return { seq, until, person: by.person, ...(names === undefined ? {} : { names }), roles: own };
}

/** The grace of a deletion that has begun. */
function graceOf(action: Action) {
  const grace = action.verb === 'delete' ? action.grace : undefined;
  return grace === undefined || grace.phase === 'begins' ? undefined : grace;
}

/** True of a deletion that a person began with `apply --grace`: the person had its approvals, or lifted them. */
export function beganByPerson(action: Action): boolean {
  const grace = graceOf(action);
  return grace?.allowed === true && grace.approvals === undefined;
}

/**
 * The requirements that these consents do not meet. What counts as a person:
 *
 *   the consent                                              | counts
 *   ---------------------------------------------------------+--------------------------------------------------
 *   of a credential of somebody                              | as a person
 *   of the same person, by a name that may be theirs         | as that person
 *   of somebody without an e-mail address, beside others     | not, where more of them have one: it may be theirs
 *   of a machine's credential, or by a forge's address only  | not: it may be anybody's
 *   on the store itself                                      | not: anybody who may open it may claim any name
 *   without the role, where one is asked for                 | not
 */
export const unmetBy = (
  requirements: readonly Requirement[],
  consents: readonly Consent[],
): readonly UnmetRequirement[] =>
  requirements.flatMap((requirement) => {
    const { people, role } = requirement;
    const counted = consents.filter(({ roles }) => role === undefined || roles.includes(role));
    const persons = personsAmong(counted);
    if (persons.length >= people) return [];
    return [{ ...requirement, by: persons.map(({ person, until }) => ({ person, until })) }];
  });

/** All names of one person, and their consent that is valid longest. */
interface Person {
  readonly names: readonly string[];
  readonly consent: Consent;
}

/** One consent for each person. Two that share any name are one, and so are those that share one with both. */
function personsAmong(consents: readonly Consent[]): readonly Consent[] {
  const persons: Person[] = [];
  for (const consent of consents) {
    const { names = [] } = consent;
    if (names.every(isForgeAddress)) continue;
    const keys = new Set(names.flatMap(personKeys));
    const same = persons.filter((one) => one.names.flatMap(personKeys).some((key) => keys.has(key)));
    for (const one of same) persons.splice(persons.indexOf(one), 1);
    persons.push({
      names: [...same.flatMap((one) => one.names), ...names],
      consent: [...same.map((one) => one.consent), consent].reduce((a, b) => (b.until > a.until ? b : a)),
    });
  }
  const byAddress = persons.filter(({ names }) => names.some(isOwnAddress));
  const others = persons.filter((one) => !byAddress.includes(one));
  return (others.length > byAddress.length ? others : byAddress).map(({ consent }) => consent);
}

/** No issuer's name of a subject, which may have the sign of an address in it. */
const isOwnAddress = (name: string): boolean => /^[^\s@#:/]+@[^\s@#:/]+$/.test(name.trim()) && !isForgeAddress(name);

/** A sentence for each unmet requirement: the given approvals, and the missing ones. */
export function requirementText(unmet: readonly UnmetRequirement[], consents: readonly Consent[] = []): string {
  const sentences = unmet.map(({ people, role, reason, by }) => {
    const needed = `${people === 1 ? 'the approval of a person' : `approvals of ${people} people`}${withRole(role)}`;
    const so =
      by.length === 0
        ? `0 of ${people} so far`
        : `${by.length} of ${people} so far: ${by.map(({ person, until }) => `${person} until ${formatMoment(until)}`).join(', ')}`;
    const missing = `${missingText(people - by.length, by.length)}${withRole(role)}`;
    return `${reason}: it needs ${needed}. ${so}; ${missing} must approve it over the API: setpoint approve --server URL.`;
  });
  const unproven = [...new Set(consents.filter(({ names }) => names === undefined).map(({ person }) => person))];
  const note =
    unproven.length === 0
      ? ''
      : ` The approval by ${unproven.join(', ')} on the store does not count: anybody who opens it may claim any name.`;
  return sentences.join(' ') + note;
}

function missingText(more: number, before: number): string {
  if (more > 1) return `${more} people`;
  return before === 0 ? 'a person' : 'another person';
}

const withRole = (role: string | undefined): string => (role === undefined ? '' : ` with the role ${role}`);

/** Holds an action until its requirements are met. */
export function approvalsHold(
  requirementsOf: (action: Action) => readonly Requirement[],
  consentsOf: ConsentsOf,
): Hold {
  const hold: Hold = (action) => {
    const requirements = requirementsOf(action);
    if (requirements.length === 0 || beganByPerson(action)) return undefined;
    return unlessMet(requirements, consentsOf(action));
  };
  return Object.assign(hold, {
    assuming: ({ approved }: AssumedApproval): Hold => unlessApproved(hold, approved),
  });
}

/** The reason to withhold an action of which these consents do not meet the requirements. */
export function unlessMet(requirements: readonly Requirement[], consents: readonly Consent[]): ReturnType<Hold> {
  const unmet = unmetBy(requirements, consents);
  return unmet.length === 0
    ? undefined
    : { code: 'approvals', why: requirementText(unmet, consents), requirements: unmet };
}

/** Objects that were under `protect` at any time, by their ids: the scopes in which. */
export type OnceProtected = ReadonlyMap<CloudId, readonly ScopeKey[]>;

/**
 * The requirement to delete or replace an object that was protected once, and is not any more. What no person asked for is left out:
 * a twin of a lost answer, and an object that was deleted and shows again.
 */
export const liftedProtection =
  (once: OnceProtected) =>
  (action: Action): readonly Requirement[] => {
    if (action.verb !== 'delete' && action.verb !== 'replace') return [];
    if (action.verb === 'delete' && (action.because === 'twin' || action.because === 'again')) return [];
    const isKnown = once.get(action.observed.id)?.some((scope) => isWithin(action.address, scope)) ?? false;
    return isKnown ? [{ people: 2, reason: `its protection was lifted, and this would ${action.verb} it` }] : [];
  };

const isWithin = (address: Address, scope: ScopeKey): boolean => address.startsWith(`${scope}/`);
