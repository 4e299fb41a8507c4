import type { CompiledScope } from '../core/compile/compile.ts';
import type { Hash } from '../core/digest.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import { groupByMany } from '../core/group-by-many.ts';
import type { Guards } from '../core/guards.ts';
import type { Row } from '../core/inventory/row.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Observation } from '../core/observed.ts';
import type { Hold } from '../core/plan/plan-input.ts';
import type { Given } from '../core/policy/change.ts';
import {
  type Expression,
  exemptionsOf,
  type Found,
  type Judgement,
  type KindRule,
  rulesAbout,
  type UnusedExemption,
  type Violation,
  violationOf,
} from '../core/policy/evaluate.ts';
import { policyHold } from '../core/policy/hold.ts';
import { imagesBy } from '../core/policy/image.ts';
import { type BrokenRule, effectOf, enforcedIn, type PolicyRules, policyRulesOf } from '../core/policy/rules.ts';
import { tagsOf, type Viewed, type ViewedDocument, viewsOf, viewsOfRow } from '../core/policy/view.ts';
import { clouds, type Kind } from '../core/resource.ts';
import { flatMapInSteps } from '../core/steps.ts';
import type { Evaluate } from '../policy/evaluator.ts';
import type { ExpressionSubject } from '../policy/expressions.ts';
import { inTurns } from './in-turns.ts';
import type { Estate, OpenedEstate } from './load.ts';
import { sha256 } from './sha256.ts';

/** The rules that each resource breaks, less the exempted. Resources that break none are left out. `today`: 2027-01-31. */
export type FindBroken = <V extends Viewed>(
  policies: readonly PolicyRules[],
  viewed: readonly V[],
  today: string,
) => Promise<{ readonly broken: readonly Breaking<V>[]; readonly unused: readonly UnusedExemption[] }>;

interface Breaking<V extends Viewed> {
  readonly viewed: V;
  readonly rules: readonly BrokenRule[];
}

/** Rules about a change are judged with its plan, and so are rules about an image: see change-rules.ts. */
export interface PolicyLanguage {
  readonly evaluate: Evaluate;
  subjectOf(expression: Expression): ExpressionSubject;
}

/** The most rule sets and resources whose outcomes are remembered. */
const MOST_SETS = 64;
const MOST_KEPT = 100_000;

/** Resources in one step: of each a digest is taken. */
const STEP = 50;

/**
 * Outcomes are remembered by the digests of the rules' texts and of the resource's view: of an unchanged estate nothing is evaluated
 * again. The resources keep their order; of each come the rules in the order of their policies.
 */
export function brokenRuleFinder({ evaluate, subjectOf }: PolicyLanguage, hash: Hash): FindBroken {
  const remembered = new Map<string, Map<string, readonly Found[]>>();
  const outcomesBy = (kind: Kind, rules: readonly KindRule[]): Map<string, readonly Found[]> => {
    const key = hash(JSON.stringify([kind, rules.map(({ text, kinds }) => [text, kinds])]));
    const known = remembered.get(key);
    if (known !== undefined) return known;
    if (remembered.size >= MOST_SETS) remembered.clear();
    const outcomes = new Map<string, readonly Found[]>();
    remembered.set(key, outcomes);
    return outcomes;
  };
  const foundIn = async (kind: Kind, rules: readonly KindRule[], those: readonly Viewed[]) => {
    const outcomes = outcomesBy(kind, rules);
    const digests = await inTurns(
      flatMapInSteps(those, ({ view, image }) => [hash(canonical(image === undefined ? view : [view, image]))], STEP),
    );
    // why: another evaluation may forget outcomes while this one waits
    const known = new Map(
      digests.flatMap((digest) => (outcomes.has(digest) ? [[digest, outcomes.get(digest) ?? []]] : [])),
    );
    const unknown = [...new Map(digests.map((digest, i) => [digest, those[i]] as const))].flatMap(([digest, one]) =>
      one === undefined || known.has(digest) ? [] : [{ digest, given: givenOf(one) }],
    );
    const answers = await evaluate(
      rules,
      unknown.map(({ given }) => given),
    );
    const fresh = new Map(unknown.flatMap(({ digest }, i) => (answers[i] === undefined ? [] : [[digest, answers[i]]])));
    const found = digests.map((digest) => {
      const outcome = fresh.get(digest) ?? known.get(digest);
      if (outcome === undefined) throw new Error('an evaluation left out a resource');
      return outcome;
    });
    if (outcomes.size + fresh.size > MOST_KEPT) outcomes.clear();
    for (const [digest, one] of fresh) outcomes.set(digest, one);
    return found;
  };
  return async (policies, viewed, today) => {
    const exemptions = exemptionsOf(policies, today);
    const broken = new Map<Viewed, readonly BrokenRule[]>();
    for (const [kind, those] of Map.groupBy(viewed, ({ view }) => view.kind)) {
      // why: of one question either all machines have facts of their images, or none
      const subjects = those[0]?.image === undefined ? ofSpecs : ofObjects;
      const rules = rulesAbout(kind, policies).filter(
        (rule) => effectOf(rule.rule) !== 'approval' && subjects.has(subjectOf(rule)),
      );
      if (rules.length === 0) continue;
      const found = await foundIn(kind, rules, those);
      for (const [i, one] of those.entries()) broken.set(one, exemptions.brokenBy(one, rules, found[i] ?? []));
    }
    return {
      broken: viewed.flatMap((one) => {
        const rules = broken.get(one) ?? [];
        return rules.length === 0 ? [] : [{ viewed: one, rules }];
      }),
      unused: exemptions.unused(),
    };
  };
}

/** The subjects of rules about specs, and of rules about existing objects. */
const ofSpecs: ReadonlySet<ExpressionSubject> = new Set(['resource']);
const ofObjects: ReadonlySet<ExpressionSubject> = new Set(['resource', 'image']);

const givenOf = ({ view, image }: Viewed): Given => ({ resource: view, ...(image && { image }) });

let usual: FindBroken | undefined;

/** Loads the language of expressions only where there is a policy. */
async function finder(): Promise<FindBroken> {
  const [{ evaluate }, { subjectOfExpression }] = await Promise.all([
    import('../policy/evaluator.ts'),
    import('../policy/evaluation.ts'),
  ]);
  usual ??= brokenRuleFinder({ evaluate, subjectOf: subjectOfExpression }, sha256);
  return usual;
}

const viewedIn = ({ tree: { documents } }: Pick<OpenedEstate, 'tree'>, scopes: readonly CompiledScope[]) =>
  scopes.flatMap((scope) => viewsOf(scope, documents));

const violationsIn = (broken: readonly Breaking<ViewedDocument>[]): readonly Violation[] =>
  broken.flatMap(({ viewed, rules }) => rules.map((rule) => violationOf(viewed, rule)));

/** An id of a cloud names an object without a document: the specs cannot show whether one matches. */
const isAddressGlob = (glob: string): boolean =>
  glob.startsWith('*') || clouds.some((cloud) => glob.startsWith(`${cloud}/`));

/** The violations of an estate's policies by its desired resources, in the scopes that were chosen. */
export async function judgeEstate(estate: Pick<Estate, 'tree' | 'scopes' | 'today'>): Promise<Judgement> {
  const policies = ofKind(estate.tree.documents, 'Policy');
  if (policies.length === 0) return { violations: [], unused: [] };
  const find = await finder();
  const found = await find(policyRulesOf(policies), viewedIn(estate, estate.scopes), estate.today);
  const { subjectOfExpression } = await import('../policy/evaluation.ts');
  const isAboutResources = ({ value: { spec } }: (typeof policies)[number]): boolean =>
    rulesAbout(spec.kinds[0] ?? 'network', [{ name: '', ...spec }]).some(
      (rule) => effectOf(rule.rule) !== 'approval' && subjectOfExpression(rule) === 'resource',
    );
  const unused = found.unused.flatMap(({ policy, index }) => {
    const document = policies.find(({ value }) => value.metadata.name === policy);
    const entry = document?.value.spec.exemptions[index];
    if (entry === undefined || !entry.resources.some(isAddressGlob)) return [];
    return document === undefined || !isAboutResources(document)
      ? []
      : [{ policy, at: document.at(['spec', 'exemptions', index]) }];
  });
  return { violations: violationsIn(found.broken), unused };
}

/** The rows with the rules that their objects break as they stand: those of documents, and those of nobody. */
export async function withViolations(
  rows: readonly Row[],
  { tree: { documents }, today }: Pick<OpenedEstate, 'tree' | 'today'>,
  {
    targets,
    observation,
  }: Pick<CompiledScope, 'targets'> & { readonly observation: Pick<Observation, 'images' | 'at'> },
): Promise<readonly Row[]> {
  const policies = policyRulesOf(ofKind(documents, 'Policy'));
  if (policies.length === 0) return rows;
  const tags = tagsOf(targets, documents);
  const regions = new Map(targets.map(({ metadata, spec }) => [metadata.name, spec.region]));
  const regionOf = (target: string): string | undefined => regions.get(target);
  const imageOf = imagesBy({ observation });
  const viewed = rows.flatMap((row) =>
    viewsOfRow(row, tags, regionOf).map((one) => {
      const image = imageOf(one.view);
      return { ...one, row, ...(image && { image }) };
    }),
  );
  const { broken } = await (await finder())(policies, viewed, today);
  const byRow = groupByMany(broken, ({ viewed: { row } }) => [row]);
  return rows.map((row) => {
    const violations = (byRow.get(row) ?? []).flatMap(({ rules }) => rules);
    return violations.length === 0 ? row : { ...row, violations };
  });
}

/** True where a rule of the specs is about images, or one that the generation before enforces. */
export async function needsImageFacts(
  { documents }: Pick<OpenedEstate['tree'], 'documents'>,
  before?: Pick<Guards, 'enforced'>,
): Promise<boolean> {
  const policies = [...policyRulesOf(ofKind(documents, 'Policy')), ...(before?.enforced ?? [])];
  if (!policies.some(({ kinds }) => kinds.includes('instance'))) return false;
  const { concernsImage } = await import('../policy/evaluation.ts');
  return rulesAbout('instance', policies).some(concernsImage);
}

/** The policies in enforce mode: of the specs, and those of the generation before that the specs do not have as they were. */
export function enforcedPolicies(
  { tree }: Pick<OpenedEstate, 'tree'>,
  before?: Pick<Guards, 'enforced'>,
): { readonly now: readonly PolicyRules[]; readonly former: readonly PolicyRules[] } {
  const textOf = ({ scopes: _, ...policy }: PolicyRules): string => canonical(policy);
  const now = enforcedIn(tree.documents);
  const known = new Set(now.map(textOf));
  return { now, former: (before?.enforced ?? []).filter((policy) => !known.has(textOf(policy))) };
}

/**
 * Withholds what policies in enforce mode deny, by the specs and by the generation before: a policy or a rule that went, and an exemption
 * that came, count from the next generation on. `desired`: the specs whose resources are judged; healing may return to former ones.
 */
export async function policiesHold(
  estate: Pick<OpenedEstate, 'tree' | 'compiled' | 'today'>,
  before?: Pick<Guards, 'enforced'>,
  desired: Pick<OpenedEstate, 'tree' | 'compiled'> = estate,
): Promise<Hold | undefined> {
  const { now, former } = enforcedPolicies(estate, before);
  if (now.length + former.length === 0) return undefined;
  const find = await finder();
  const viewed = viewedIn(desired, desired.compiled.scopes);
  const [byNow, byFormer] = [await find(now, viewed, estate.today), await find(former, viewed, estate.today)];
  return policyHold(violationsIn(byNow.broken), violationsIn(byFormer.broken));
}
