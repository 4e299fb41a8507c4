import type { Action, Finding, ScopePlan, WithholdCode } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import { isDestructive } from '../core/plan/destructive-drift.ts';
import type { Choices, PlanInput, Policy, StoppedWaves } from '../core/plan/plan-input.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval } from '../ports/approvals.ts';
import type { Store } from '../ports/store.ts';
import { namedFromHere, planAgain, type Survey } from './survey.ts';

/** What people have said of a scope before: approvals in force, and rollouts that stopped and nobody resumed. */
interface Said {
  readonly approvals: readonly Approval[];
  readonly stopped: readonly StoppedWaves[];
}

export async function saidOf({ looked, estate, store }: Survey & { readonly store: Store }): Promise<SaidOf> {
  const { approvals, rollouts } = store.fleet;
  const said = looked.map(async ({ scope: { scope } }) => {
    const where = { estate: estate.name, scope };
    const of: Said = { approvals: await approvals.inForce(where), stopped: await rollouts.stopped(where) };
    return [scope, of] as const;
  });
  return new Map(await Promise.all(said));
}

type SaidOf = ReadonlyMap<ScopeKey, Said>;

export interface Approvable {
  /** Each scope's changes that a mode or a limit withholds from workers, and what else holds things there, them included. */
  readonly plans: readonly ScopePlan[];
  /** How many changes more workers make without anybody. */
  readonly free: number;
}

/** `going`: those changes, of each scope. */
export interface ApprovableAndGoing extends Approvable {
  readonly going: readonly ScopePlan[];
}

/**
 * Plans as a worker would, and finds what an approval would lift. What is let pass counts against the limits with all the rest,
 * so others may be over a limit only then: they are looked for until there are none. What a pause, a wave or a missing ground
 * holds beyond that is approved too, and goes when they let go; what `observe` or `protect` hold is not.
 *
 * `address`, or the end of one: only what waits there. What would lose data although no spec asked for it is offered to whoever
 * names it, and to nobody else.
 */
export async function approvableIn(survey: Survey, said: SaidOf, address?: Address): Promise<ApprovableAndGoing> {
  const before = [...said.values()].flatMap(({ approvals }) => approvals.flatMap(({ actions }) => actions));
  const digests = new Set(before);
  const lifted = new Map<string, Lifted>();
  for (;;) {
    const seen = new Map<ScopeKey, Seen>();
    const plans = await planAgain(survey, (input) => asWorker(input, { digests, seen, said }));
    const more = plans.flatMap((plan) => withheldIn(plan, seen, address)).filter(({ digest }) => !digests.has(digest));
    if (more.length === 0) return approvable(survey, plans, [...lifted.values()]);
    for (const one of more) {
      digests.add(one.digest);
      lifted.set(one.digest, one);
    }
  }
}

interface Lifted {
  readonly scope: ScopeKey;
  readonly action: Action;
  readonly digest: string;
}

/** What was to be done before anything was withheld, by verb and address: a finding names no more. */
type Seen = Map<string, Action[]>;

interface Word {
  readonly digests: ReadonlySet<string>;
  readonly seen: Map<ScopeKey, Seen>;
  readonly said: SaidOf;
}

function asWorker({ observation: { scope }, choices = {} }: PlanInput, { digests, seen, said }: Word): Choices {
  const here: Seen = new Map();
  seen.set(scope, here);
  return {
    ...choices,
    unattended: true,
    approved: (action) => digests.has(actionDigest(action, sha256)),
    stopped: said.get(scope)?.stopped ?? [],
    policies: [noting(here), ...(choices.policies ?? [])],
  };
}

const noting =
  (seen: Seen): Policy =>
  (action) => {
    const key = keyOf(action.verb, action.address);
    seen.set(key, [...(seen.get(key) ?? []), action]);
    return undefined;
  };

const keyOf = (verb: Action['verb'], address: string): string => `${verb} ${address}`;

const withheldIn = (
  { scope, findings }: ScopePlan,
  seen: ReadonlyMap<ScopeKey, Seen>,
  named: Address | undefined,
): readonly Lifted[] =>
  findings.filter(isWithheld).flatMap((found) => {
    const isNamed = named !== undefined && (found.address === named || found.address.endsWith(`/${named}`));
    if (named === undefined ? !lifts.has(found.code) : !(isNamed && liftsNamed.has(found.code))) return [];
    const actions = seen.get(scope)?.get(keyOf(found.action, found.address)) ?? [];
    return actions
      .filter((action) => found.code !== 'destructive-drift' || isDestructive(action))
      .map((action) => ({ scope, action, digest: actionDigest(action, sha256) }));
  });

const lifts: ReadonlySet<WithholdCode> = new Set(['mode', 'limit']);
const liftsNamed: ReadonlySet<WithholdCode> = new Set([...lifts, 'destructive-drift']);
/** Stay whatever is approved: of `mode` what is left is `observe`. */
const stays: ReadonlySet<WithholdCode> = new Set(['mode', 'protect', 'retain', 'adopted-in-store-only']);

type Withheld = Extract<Finding, { readonly type: 'withheld' }>;
const isWithheld = (found: Finding): found is Withheld => found.type === 'withheld';

function approvable({ estate }: Survey, plans: readonly ScopePlan[], lifted: readonly Lifted[]): ApprovableAndGoing {
  const digests = new Set(lifted.map(({ digest }) => digest));
  const isFree = (action: Action): boolean => action.verb !== 'forget' && !digests.has(actionDigest(action, sha256));
  const going = plans.map((plan) => ({ ...plan, actions: plan.actions.filter(isFree) }));
  return {
    plans: plans.map((plan) => {
      const held = new Set(
        plan.findings.flatMap((found) =>
          isWithheld(found) && stays.has(found.code) ? [keyOf(found.action, found.address)] : [],
        ),
      );
      const actions = lifted
        .filter(({ scope, action }) => scope === plan.scope && !held.has(keyOf(action.verb, action.address)))
        .map(({ action }) => action);
      return namedFromHere({ ...plan, actions, findings: plan.findings.filter(isWithheld) }, estate.dir);
    }),
    free: going.flatMap(({ actions }) => actions).length,
    going,
  };
}
