import type { Action, ScopePlan } from '../action.ts';
import type { CompiledScope } from '../compile/compile.ts';
import type { Document } from '../documents/document.ts';
import type { Located } from '../documents/tree.ts';
import type { Effect, End, TrafficChange } from '../effect/effect.ts';
import { groupByMany } from '../group-by-many.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import type { PortRange } from '../port-set.ts';
import type { Address } from '../resource.ts';
import { type GivenImage, imagesBy } from './image.ts';
import { type ResourceView, tagsOf, type Viewed, viewsOf, viewsOfObject, withPorts } from './view.ts';

/** An action as expressions see it. `fields`: those that an update changes. `reason`: of a deletion; else empty. */
export interface ActionView {
  readonly verb: Action['verb'];
  readonly cause: Action['cause'];
  readonly fields: readonly string[];
  /** `in-place` or `stops`, of an update; else empty. */
  readonly effect: string;
  readonly reason: string;
}

/** The number of actions in the plan of the scope. Atoms of one document count once. */
export interface PlanView {
  readonly creates: number;
  readonly updates: number;
  readonly replaces: number;
  readonly deletes: number;
  readonly adopts: number;
}

/**
 * Traffic of one protocol that an action opens or cuts.
 *
 * - `from`, `to`: blocks of addresses, or groups and machines; the name of a network for all of its machines.
 * - `machines`: at both ends. `exposed`: those with a public address and a route, or that may have both, where the other end is a block.
 * - `certain`: false where Setpoint cannot tell whether it passes.
 */
export interface TrafficView {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly fromAnyone: boolean;
  readonly toAnyone: boolean;
  readonly protocol: string;
  readonly ports: readonly PortRange[];
  readonly machines: number;
  readonly exposed: number;
  readonly certain: boolean;
}

export interface EffectView {
  readonly opens: readonly TrafficView[];
  readonly cuts: readonly TrafficView[];
}

/** All that an expression may name of a change besides its resource. */
export interface ChangeView {
  readonly action: ActionView;
  readonly plan: PlanView;
  /** Absent where no rule asks for it, and where a listing has a gap: then nobody knows it, and a rule that asks has no answer. */
  readonly effect?: EffectView;
}

/** All that an expression may name. Plain data. Its target, of several targets the first, follows from the resource. */
export interface Given {
  readonly resource: ResourceView;
  /** Of a machine. Absent where nobody reads the facts of images, as in `validate`. */
  readonly image?: GivenImage;
  /** The place of a judged change. */
  readonly change?: ChangeView;
}

/** One change of one resource, for one protocol of a rule. `actions`: of all of its atoms. */
export interface Change extends Viewed {
  readonly change: ChangeView;
  readonly actions: readonly Action[];
}

/** The documents that a plan carries out in a scope, and its effect on traffic, which may be absent where no rule asks for it. */
export interface Grounds {
  readonly scope: CompiledScope;
  readonly documents: readonly Located<Document>[];
  readonly effect?: Effect | undefined;
}

/** The changes that a plan makes, each with the part of the effect that it alone causes. Forgetting what is gone changes nothing. */
export function changesIn(plan: ScopePlan, input: PlanInput, { effect, ...stated }: Grounds): readonly Change[] {
  const actions = plan.actions.filter(({ verb }) => verb !== 'forget');
  if (actions.length === 0) return [];
  const groups = [...Map.groupBy(actions, (action) => `${action.verb} ${action.kind} ${nameOf(action)}`).values()];
  const counts = countsOf(groups.flatMap((all) => all[0] ?? []));
  const views = viewsAt(actions, input, stated);
  const imageOf = imagesBy(input);
  return groups.flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const caused = effect === undefined || effect.gaps.length > 0 ? {} : { effect: causedBy(all, effect) };
    const change = { action: actionView(all, first), plan: counts, ...caused };
    return views(first).map((viewed) => {
      const image = imageOf(viewed.view);
      return { ...viewed, change, actions: all, ...(image === undefined ? {} : { image }) };
    });
  });
}

/** A rule has the name of its document. */
const nameOf = ({ kind, address, documents: [document] }: Action): Address =>
  kind === 'firewall-rule' ? (document?.address ?? address) : address;

function viewsAt(
  actions: readonly Action[],
  { wanted, dialect, observation }: PlanInput,
  { scope, documents }: Grounds,
): (action: Action) => readonly Viewed[] {
  const named = new Set(actions.flatMap((action) => [action.address, nameOf(action)]));
  const desired = wanted.desired.filter(
    (one) => named.has(one.address) || one.documents.some(({ address }) => named.has(address)),
  );
  const views = groupByMany(viewsOf({ ...scope, wanted: { ...wanted, desired } }, documents), ({ view }) => [
    `${view.kind} ${view.address}`,
  ]);
  const tags = tagsOf(scope.targets, documents);
  const [, account = ''] = observation.scope.split('/');
  return (action) => {
    const known = views.get(`${action.kind} ${nameOf(action)}`);
    if ('desired' in action && known !== undefined) return known;
    if (!('observed' in action)) return [];
    const { id, name, attributes } = action.observed;
    const target = scope.targets.find(({ metadata }) => wanted.targets.includes(metadata.name));
    const region = target?.spec.region ?? '';
    const owner = action.verb === 'delete' ? action.owners?.[0] : undefined;
    const place = { cloud: dialect.cloud, account, region, targets: wanted.targets };
    const [document] = action.documents;
    return viewsOfObject(
      {
        ...{ ...place, kind: action.kind, id, name, attributes, address: action.address },
        ...(owner === undefined ? {} : { owner }),
        ...(document === undefined ? {} : { document: document.address }),
      },
      tags,
    );
  };
}

const actionView = (all: readonly Action[], first: Action): ActionView => ({
  verb: first.verb,
  cause: first.cause,
  fields: [...new Set(all.flatMap((action) => ('changes' in action ? action.changes.map(({ field }) => field) : [])))],
  effect: first.verb === 'update' ? first.effect : '',
  reason: first.verb === 'delete' ? first.because : '',
});

function countsOf(actions: readonly Action[]): PlanView {
  const of = (verb: Action['verb']): number => actions.filter((action) => action.verb === verb).length;
  return {
    ...{ creates: of('create'), updates: of('update'), replaces: of('replace') },
    ...{ deletes: of('delete'), adopts: of('adopt') },
  };
}

/** Traffic that changes because of several actions is of each of them. */
function causedBy(actions: readonly Action[], { opens, cuts, unknown }: Effect): EffectView {
  const names = new Set(actions.flatMap((action) => [action.address, nameOf(action), ...idOf(action)]));
  const of = (changes: readonly TrafficChange[], certain: boolean): readonly TrafficView[] =>
    changes.filter(({ by }) => by.some((ref) => names.has(ref))).flatMap((one) => trafficViews(one, certain));
  const maybe = (change: 'opens' | 'cuts') => unknown.filter((one) => one.change === change);
  return {
    opens: [...of(opens, true), ...of(maybe('opens'), false)],
    cuts: [...of(cuts, true), ...of(maybe('cuts'), false)],
  };
}

const idOf = (action: Action): readonly string[] => ('observed' in action ? [action.observed.id] : []);

const trafficViews = ({ from, to, services }: TrafficChange, certain: boolean): readonly TrafficView[] =>
  services.map(({ protocol, ports = everyPort }) => ({
    ...{ from: namesOf(from), to: namesOf(to), fromAnyone: isAnyone(from), toAnyone: isAnyone(to) },
    ...{
      protocol,
      ports: withPorts.has(protocol) ? ports : [],
      machines: sizeOf(from) + sizeOf(to),
      exposed: exposedIn(from) + exposedIn(to),
      certain,
    },
  }));

const everyPort: readonly PortRange[] = [{ from: 0, to: 65535 }];

const isAnyone = (end: End): boolean => end.kind === 'block' && end.isAnyone;
const sizeOf = (end: End): number => (end.kind === 'block' ? 0 : end.instances.length);
const exposedIn = (end: End): number => (end.kind === 'block' ? 0 : (end.exposed ?? 0) + (end.maybeExposed ?? 0));

function namesOf(end: End): readonly string[] {
  if (end.kind === 'block') return [end.cidr];
  const names = [...end.groups, ...end.names];
  return names.length === 0 ? [end.network] : names;
}
