import { takenNames } from '../core/trust-names.ts';
import { keptSpecs } from '../estate/kept-specs.ts';
import type { Generation } from '../ports/inventory.ts';
import type { SourceDraft } from '../ports/sources.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { formerEstates } from './former-estates.ts';
import type { History, Judgement, Source } from './source.ts';
import type { Yard } from './yard.ts';

type Verdict = Omit<SourceDraft, 'source' | 'head'>;

/** Keys end, and programs are installed: what was held back is judged again after this. */
const goodForMs = 300_000;

const freely: Judgement = { state: 'followed', why: '' };

type Judge = (tree: SpecTree, current: Generation | undefined) => Promise<Verdict>;

/** What a history says of a head after what is in force; asked anew where one of the two has moved, and now and then. */
export function judgeOf(estate: string, { name, history }: Source, yard: Yard): Judge {
  let known: { readonly key: string; readonly judgement: Verdict; readonly at: number } | undefined;
  return async (tree, current) => {
    if (history === undefined) return freely;
    const head = tree.revision;
    const mayRewrite = await yard.store.sources.histories.isAccepted(estate, { head, after: current?.revision ?? '' });
    const key = JSON.stringify([head, current?.number, mayRewrite]);
    if (known?.key === key && yard.clock.now() - known.at < goodForMs) return known.judgement;
    const judgement = await judgeAfter(tree, { estate, source: name, current, mayRewrite, history }, yard);
    const isNews = known?.judgement.why !== judgement.why;
    known = { key, judgement, at: yard.clock.now() };
    if (judgement.state !== 'followed' && isNews)
      yard.telemetry.log.error('specs held back; what was in force stays', { estate, revision: head, ...judgement });
    return judgement;
  };
}

interface Standing {
  readonly estate: string;
  readonly source: string;
  readonly current: Generation | undefined;
  readonly mayRewrite: boolean;
  readonly history: History;
}

async function judgeAfter(tree: SpecTree, standing: Standing, yard: Yard): Promise<Verdict> {
  const { current, mayRewrite } = standing;
  const former = current?.revision.startsWith('git:') ? [] : await formerEstates(standing, yard.store);
  const [first] = former;
  if (first !== undefined && !mayRewrite) return unknownEstate(tree, standing, first.estate);
  // why: a new name sheds no signers
  for (const { estate, generation } of former) {
    const verdict = await judgeBeside(tree, { ...standing, estate, current: generation }, yard);
    if (verdict.state !== 'followed') return verdict;
  }
  return judgeBeside(tree, standing, yard);
}

async function judgeBeside(tree: SpecTree, { estate, current, mayRewrite, history }: Standing, yard: Yard) {
  const before = current && (await keptSpecs(estate, current, yard.store, yard.outside.specs));
  if (current !== undefined && before?.estate === undefined) return unread(current);
  // why: where nothing is in force yet, the first commit names its own signers
  const signatures = (before ?? tree).estate?.value.spec.signatures;
  const judged = await history.judge(tree.revision, {
    ...(current === undefined ? {} : { revision: current.revision }),
    ...(signatures === undefined ? {} : { signatures }),
    mayRewrite,
  });
  return judged.state === 'followed' ? (takes(tree, before) ?? judged) : judged;
}

/** Nothing binds an estate that is new: no limits and modes of before, no signers. So a person says that one is meant. */
function unknownEstate({ revision }: SpecTree, { estate, source }: Standing, former: string): Verdict {
  const commit = revision.replace(/^git:/, '').slice(0, 12);
  return {
    state: 'rewritten',
    why: `${source} spoke of the estate ${former}, and speaks of ${estate} now, which it has never brought into force. If that is meant: setpoint approve --history ${commit} --reason "…"`,
  };
}

/** Nobody can say who must have signed what comes after it, and a head does not say so itself. */
const unread = ({ revision }: Generation): Verdict => ({
  state: 'unsigned',
  why: `the Estate document in force (${revision}) cannot be read by this version, so who must sign is not known. Stop the workers that follow, and put sound specs in force by hand: setpoint apply`,
});

/** That a team's tree takes over what is another's: specs may be sound by themselves and not after what is in force. */
function takes(next: SpecTree, inForce: SpecTree | undefined): Verdict | undefined {
  const [first] = takenNames(inForce?.documents ?? [], next.documents);
  if (first === undefined) return undefined;
  const { at, message, hint } = first;
  return { state: 'broken', why: `${at.file}:${at.line}:${at.column}: ${message}; expected: ${hint?.expected}` };
}
