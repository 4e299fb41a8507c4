import type { Action, Finding } from '../action.ts';
import { criticalityOf, type WithCriticality } from '../criticality.ts';
import type { Observed } from '../observed.ts';
import { type Address, documentOfReplica } from '../resource.ts';
import { allowedBy, type PlanInput } from './plan-input.ts';
import type { World } from './world.ts';

/** A resource, as far as it is known. */
interface Subject {
  readonly address?: Address | undefined;
  readonly observed?: Pick<Observed, 'attributes'> | undefined;
  readonly documents?: readonly { readonly address: Address }[];
}

/** `scope`: for findings of the whole scope. */
export interface Criticalities {
  of(subject: Subject): WithCriticality;
  readonly scope: WithCriticality;
}

/**
 * The criticality of resources; the first that is known:
 *
 *   resource                                    | criticality
 *   --------------------------------------------+--------------------------------
 *   wanted                                      | by its documents
 *   of documents that want it no more, also of  | by those documents
 *   such that have ended                        |
 *   a rule in a group or network that is wanted | as its group or network
 *   any other                                   | as the most critical target here
 */
export function criticalitiesOf({ wanted }: Pick<PlanInput, 'wanted'>): Criticalities {
  const { desired, documents, criticality } = wanted;
  const byAddress = new Map(desired.map(({ address, terms }) => [address, terms]));
  const unwanted = criticalityOf([{ criticality }]);
  const spoken = (subject: Subject): readonly WithCriticality[] =>
    [...(subject.documents ?? []).map(({ address }) => address), ...ownDocument(subject)].flatMap(
      (address) => allowedBy(wanted, address) ?? [],
    );
  const of = (subject: Subject): WithCriticality => {
    const own = subject.address === undefined ? undefined : byAddress.get(subject.address);
    if (own !== undefined) return criticalityOf([own]);
    const said = spoken(subject);
    if (said.length > 0) return criticalityOf(said);
    const around = containersOf(subject).flatMap((ref) => byAddress.get(ref) ?? []);
    return around[0] === undefined ? unwanted : criticalityOf(around.slice(0, 1));
  };
  return { of, scope: criticalityOf([unwanted, ...documents.values()]) };
}

const ownDocument = ({ address }: Subject): readonly Address[] =>
  address === undefined ? [] : [documentOfReplica(address)];

/** The group of a rule, then its network. */
function containersOf({ observed }: Subject): readonly Address[] {
  if (observed === undefined || !('network' in observed.attributes)) return [];
  const { network, group } = { group: undefined, ...observed.attributes };
  return [...(typeof group === 'string' ? [group] : []), network];
}

interface Planned {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/** The class of alerts of each, for people and for alerting. It decides nothing. */
export function withCriticalities(
  { actions, findings }: Planned,
  { input, byId }: Pick<World, 'input' | 'byId'>,
): Planned {
  const criticalities = criticalitiesOf(input);
  return {
    actions: actions.map((action) => withCriticality(action, criticalities.of(action))),
    findings: findings.map((found) => withCriticality(found, criticalityOfFinding(found, criticalities, byId))),
  };
}

/** The same of actions alone. */
export function actionsWithCriticality(actions: readonly Action[], input: PlanInput): readonly Action[] {
  const criticalities = criticalitiesOf(input);
  return actions.map((action) => withCriticality(action, criticalities.of(action)));
}

const withCriticality = <T extends object>(one: T, own: WithCriticality): T =>
  own.criticality === undefined ? one : { ...one, ...own };

function criticalityOfFinding(found: Finding, criticalities: Criticalities, byId: World['byId']): WithCriticality {
  if ('address' in found) return criticalities.of({ address: found.address });
  if ('id' in found) return criticalities.of({ address: found.of, observed: byId.get(found.id)?.observed });
  return criticalities.scope;
}
