import type { Action, Finding } from '../action.ts';
import { type Graded, graded } from '../criticality.ts';
import type { Observed } from '../observed.ts';
import { type Address, documentOfReplica } from '../resource.ts';
import type { PlanInput } from './plan-input.ts';

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

const cache = new WeakMap<PlanInput['wanted'], Grades>();

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
export function gradesOf({ wanted }: Pick<PlanInput, 'wanted'>): Grades {
  const known = cache.get(wanted) ?? gradesIn(wanted);
  cache.set(wanted, known);
  return known;
}

function gradesIn({ desired, documents, criticality }: PlanInput['wanted']): Grades {
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
export function withGrades({ actions, findings }: Graduated, input: PlanInput): Graduated {
  const grades = gradesOf(input);
  const byId = new Map(input.observation.resources.map((one) => [one.id, one]));
  return {
    actions: actions.map((action) => withGrade(action, grades.of(action))),
    findings: findings.map((found) => withGrade(found, gradeOfFinding(found, grades, byId))),
  };
}

const withGrade = <T extends object>(one: T, grade: Graded): T =>
  grade.criticality === undefined ? one : { ...one, ...grade };

function gradeOfFinding(found: Finding, grades: Grades, byId: ReadonlyMap<string, Observed>): Graded {
  if ('address' in found) return grades.of({ address: found.address });
  if ('id' in found) return grades.of({ address: found.of, observed: byId.get(found.id) });
  return grades.scope;
}
