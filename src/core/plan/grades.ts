import type { Action, Finding } from '../action.ts';
import { type Graded, graded } from '../criticality.ts';
import type { Observed } from '../observed.ts';
import { type Address, documentOfReplica } from '../resource.ts';
import type { PlanInput } from './plan-input.ts';
import type { World } from './world.ts';

/** A resource, as far as it is known. */
interface Subject {
  readonly address?: Address | undefined;
  readonly observed?: Pick<Observed, 'attributes'> | undefined;
  readonly documents?: readonly { readonly address: Address }[];
}

/** `scope`: of what concerns the whole scope. */
export interface Grades {
  of(subject: Subject): Graded;
  readonly scope: Graded;
}

/**
 * The criticality of resources; the first that is known:
 *
 *   resource                                    | criticality
 *   --------------------------------------------+--------------------------------
 *   wanted                                      | by its documents
 *   of documents that want it no more           | by those documents
 *   a rule in a group or network that is wanted | as its group or network
 *   any other                                   | as the most critical target here
 */
export function gradesOf({ wanted: { desired, documents, criticality } }: Pick<PlanInput, 'wanted'>): Grades {
  const byAddress = new Map(desired.map(({ address, terms }) => [address, terms]));
  const unwanted = graded([{ criticality }]);
  const spoken = (subject: Subject): readonly Graded[] =>
    [...(subject.documents ?? []).map(({ address }) => address), ...ownDocument(subject)].flatMap(
      (address) => documents.get(address) ?? [],
    );
  const of = (subject: Subject): Graded => {
    const own = subject.address === undefined ? undefined : byAddress.get(subject.address);
    if (own !== undefined) return graded([own]);
    const said = spoken(subject);
    if (said.length > 0) return graded(said);
    const around = containersOf(subject).flatMap((ref) => byAddress.get(ref) ?? []);
    return around[0] === undefined ? unwanted : graded(around.slice(0, 1));
  };
  return { of, scope: graded([unwanted, ...documents.values()]) };
}

const ownDocument = ({ address }: Subject): readonly Address[] =>
  address === undefined ? [] : [documentOfReplica(address)];

/** The group of a rule, then its network. */
function containersOf({ observed }: Subject): readonly Address[] {
  if (observed === undefined || !('network' in observed.attributes)) return [];
  const { network, group } = { group: undefined, ...observed.attributes };
  return [...(typeof group === 'string' ? [group] : []), network];
}

interface Graduated {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
}

/** The class of alerts of each: for people, and for what notifies them. It decides nothing. */
export function withGrades(
  { actions, findings }: Graduated,
  { input, byId }: Pick<World, 'input' | 'byId'>,
): Graduated {
  const grades = gradesOf(input);
  return {
    actions: actions.map((action) => withGrade(action, grades.of(action))),
    findings: findings.map((found) => withGrade(found, gradeOfFinding(found, grades, byId))),
  };
}

/** The same of actions alone. */
export function actionsWithGrades(actions: readonly Action[], input: PlanInput): readonly Action[] {
  const grades = gradesOf(input);
  return actions.map((action) => withGrade(action, grades.of(action)));
}

const withGrade = <T extends object>(one: T, grade: Graded): T =>
  grade.criticality === undefined ? one : { ...one, ...grade };

function gradeOfFinding(found: Finding, grades: Grades, byId: World['byId']): Graded {
  if ('address' in found) return grades.of({ address: found.address });
  if ('id' in found) return grades.of({ address: found.of, observed: byId.get(found.id)?.observed });
  return grades.scope;
}
