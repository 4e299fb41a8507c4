import type { Action, Finding, WithholdCode } from '../action.ts';
import { isAddress } from '../address.ts';
import type { Desired } from '../desired.ts';
import { kindNames, refsOf } from '../kinds/kinds.ts';
import type { Address, Kind } from '../resource.ts';
import { compareText } from '../text-order.ts';
import type { Claimed } from './claim.ts';
import type { Policy } from './plan-input.ts';
import { halfDone } from './succession.ts';
import { gapOf, type World } from './world.ts';

export interface Admitted {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/** Withholds what a policy names, then all that rests on something that will not stand. */
export function admit(actions: readonly Action[], policies: readonly Policy[], world: World): Admitted {
  const findings: Finding[] = [];
  const allowed = actions.filter((action) => {
    const reason = policies.map((policy) => policy(action)).find((given) => given !== undefined);
    if (reason !== undefined) findings.push(withheld(action, reason.code, reason.why, world));
    return reason === undefined;
  });
  const standing = dropUnfounded(allowed, world, findings);
  return { actions: dropNeeded(standing, world, findings), findings };
}

export const withheld = (
  action: Action,
  code: WithholdCode,
  why: string,
  { input }: Pick<World, 'input'>,
): Finding => ({
  type: 'withheld',
  address: action.address,
  kind: action.kind,
  action: action.verb,
  code,
  why: why + halfDone(action),
  scope: input.observation.scope,
  ...(action.by === undefined ? {} : { by: action.by }),
});

/** Parents come first by kind, so one pass from networks to instances finds everything whose ground is missing. */
function dropUnfounded(actions: readonly Action[], world: World, findings: Finding[]): readonly Action[] {
  const made = new Set<Address>(world.ours.keys());
  const kept: Action[] = [];
  for (const action of actions.toSorted((a, b) => kindNames.indexOf(a.kind) - kindNames.indexOf(b.kind))) {
    const missing = groundOf(action).find((ref) => isAddress(ref) && !made.has(ref));
    if (missing !== undefined)
      findings.push(
        withheld(action, 'depends', `rests on ${missing}, which does not stand and is not being made.`, world),
      );
    else {
      kept.push(action);
      if (action.verb === 'create' || action.verb === 'adopt') made.add(action.address);
    }
  }
  return kept;
}

const groundOf = (action: Action): readonly string[] =>
  action.verb === 'delete' || action.verb === 'forget' ? [] : refsOf(action.kind, action.desired.attributes);

/**
 * Nothing is deleted while something that stays still stands in it or names it; children decide before their parents. A
 * rule stays and goes with its container.
 */
function dropNeeded(actions: readonly Action[], world: World, findings: Finding[]): readonly Action[] {
  const deletions = actions.filter(isParentDelete);
  if (deletions.length === 0) return actions;
  const users = usersByRef(world);
  const staying = new Set(world.claimed.map(({ observed }) => observed.id));
  for (const action of actions) if (action.verb === 'delete') staying.delete(action.observed.id);
  const leaving = new Map(
    actions.flatMap((action) => (action.verb === 'update' ? [[action.observed.id, action.desired] as const] : [])),
  );

  const dropped = new Set<Action>();
  for (const action of deletions.toSorted((a, b) => kindNames.indexOf(b.kind) - kindNames.indexOf(a.kind))) {
    // why: what names the address of a twin stands in the other one, and the twin was seen to hold nothing
    const refs = action.because === 'twin' ? [action.observed.id] : [action.address, action.observed.id];
    const user = refs
      .flatMap((ref) => users.get(ref) ?? [])
      .find(
        ({ observed }) =>
          staying.has(observed.id) &&
          staying.has(observed.signs.container ?? observed.id) &&
          observed.signs.container !== action.observed.id &&
          !leaves(leaving.get(observed.id), refs),
      );
    const unlisted = usedBy[action.kind]?.find((kind) => gapOf(world, kind) !== undefined);
    if (user === undefined && unlisted === undefined) continue;
    dropped.add(action);
    staying.add(action.observed.id);
    const why = user
      ? `${user.observed.kind} ${user.claim.by === 'us' ? user.claim.address : user.observed.id} still needs it.`
      : `${unlisted} was not listed completely, so something may still need it.`;
    findings.push(withheld(action, 'depends', why, world));
  }
  return actions.filter((action) => !dropped.has(action));
}

/** The kinds whose objects may stand in such a thing, or name it. */
const usedBy: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  network: ['subnet', 'group', 'instance'],
  subnet: ['instance'],
  group: ['firewall-rule', 'instance'],
};

type ParentDelete = Extract<Action, { readonly verb: 'delete' }>;
const isParentDelete = (action: Action): action is ParentDelete =>
  action.verb === 'delete' && action.kind !== 'firewall-rule' && action.kind !== 'instance';

/** What the cloud makes together with a network goes with it, and so needs nothing. */
function usersByRef({ claimed }: World): ReadonlyMap<string, readonly Claimed[]> {
  const users = new Map<string, Claimed[]>();
  // why: whoever comes first is named as the reason, so the order must not be the cloud's
  for (const one of claimed.toSorted((a, b) => compareText(a.observed.id, b.observed.id))) {
    if (one.observed.signs.origin?.why === 'provider-default') continue;
    for (const ref of refsOf(one.observed.kind, one.observed.attributes)) {
      const known = users.get(ref);
      if (known === undefined) users.set(ref, [one]);
      else known.push(one);
    }
  }
  return users;
}

/** An update of this very plan takes the reference away. */
const leaves = (desired: Desired | undefined, refs: readonly string[]): boolean =>
  desired !== undefined && !refsOf(desired.kind, desired.attributes).some((ref) => refs.includes(ref));
