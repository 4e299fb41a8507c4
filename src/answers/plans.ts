import { randomUUID } from 'node:crypto';
import { planJson } from '../core/render/plan-json.ts';
import { keptTree } from '../estate/load.ts';
import { sha256 } from '../estate/sha256.ts';
import type { MadePlan, PlanAnswers, PlanAsked, PlanNamed } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import type { Proposal } from '../ports/proposals.ts';
import { applyPlan } from './apply-plan.ts';
import { type Grounds, openInForce } from './opened.ts';
import type { Planning } from './planning.ts';
import { postedEstate, toldOf } from './posted-estate.ts';
import { seesPlan } from './sees-plan.ts';
import { seenOf } from './sight.ts';
import { type KeptSurvey, surveyOf } from './survey-of.ts';
import { withWithheld } from './unfinished.ts';

/** Kept for so long, and of an estate so many, of at most so much text each. */
const keptMs = 7 * 86_400_000;
const mostKept = 100;
const mostLength = 16 * 1024 * 1024;

export function plansOn(grounds: Planning): PlanAnswers {
  const { line } = grounds;
  const read = async (asked: PlanNamed): Promise<Proposal> => {
    const found = await grounds.store.proposals.read(asked.id);
    if (found === undefined || !seesPlan(found.head, asked))
      throw new Declined('unknown', 'There is nothing here that you may see.');
    return found;
  };
  return {
    make: (asked) => line(() => make(asked, grounds)),
    read: async (asked) => madeOf(await read(asked), grounds),
    list: async ({ by, reads, limit, ...query }) => {
      const heads = await grounds.store.proposals.list({ ...query, limit: mostKept });
      return heads.filter((head) => seesPlan(head, { by, reads })).slice(0, limit);
    },
    apply: async (asked) => {
      const proposal = await read(asked);
      return line(() => applyPlan({ ...asked, proposal }, grounds));
    },
  };
}

async function make(asked: PlanAsked, grounds: Planning): Promise<MadePlan> {
  const { survey, of, generation } = await (asked.posted === undefined
    ? inForce(asked, grounds)
    : proposed(asked, grounds));
  const planned = await withWithheld(seenOf(survey, survey.plans, asked), asked, grounds.store);
  const { revision, summary, digest } = planJson(planned.plans, planned.bound, sha256);
  const { tree } = survey.estate;
  const at = grounds.clock.now();
  const proposal: Proposal = {
    head: {
      ...{
        id: randomUUID(),
        estate: asked.estate,
        generation,
        revision,
        summary,
        digest,
        of,
        by: asked.by,
        seen: asked.seen,
      },
      times: { at, until: at + keptMs },
    },
    planned,
    problems: of === 'posted' ? tree.problems.map(toldOf) : [],
    ...(of === 'posted' ? { tree: keptTree(tree) } : {}),
  };
  if (JSON.stringify(proposal).length > mostLength)
    throw new Declined('conflict', 'The plan is too large to be kept. Plan fewer targets, or by: setpoint plan');
  await grounds.store.proposals.keep(proposal, mostKept);
  return { ...proposal, stale: false };
}

interface Surveyed {
  readonly survey: KeptSurvey;
  readonly of: Proposal['head']['of'];
  /** In force. */
  readonly generation: number;
}

async function inForce(asked: PlanAsked, planning: Planning): Promise<Surveyed> {
  const survey = await planning.survey(asked);
  return { survey, of: 'in-force', generation: survey.bound.generation ?? 0 };
}

async function proposed({ estate: name, posted }: PlanAsked, grounds: Grounds): Promise<Surveyed> {
  if (posted === undefined) throw new Error('nothing was posted');
  const before = await openInForce(name, grounds);
  const survey = await surveyOf(await postedEstate(posted, before, grounds), grounds.store);
  const now = await grounds.store.generations.current(name);
  if (now?.number !== before.generation.number)
    throw new Declined('conflict', 'Other specs came into force meanwhile: ask once more.');
  return { survey, of: 'posted', generation: before.generation.number };
}

async function madeOf(proposal: Proposal, { store }: Grounds): Promise<MadePlan> {
  const now = await store.generations.current(proposal.head.estate);
  return { ...proposal, stale: now?.number !== proposal.head.generation };
}
