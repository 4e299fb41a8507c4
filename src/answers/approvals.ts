import { planDigest } from '../core/digest.ts';
import { sha256 } from '../estate/sha256.ts';
import type { ApprovalAnswers, ApprovalWord, Given, OfferAsked, Offered, Planned } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import { approvableIn, saidOf } from './approvable.ts';
import { authorshipOf } from './authorship.ts';
import { giveApproval } from './give-approval.ts';
import type { Planning } from './planning.ts';
import { seenOf, seesWholeScope } from './sight.ts';
import type { KeptSurvey } from './survey-of.ts';
import { wishPasses } from './wish.ts';
import { withdrawAsked } from './withdraw-approval.ts';

export const approvalsOn = (planning: Planning): ApprovalAnswers => ({
  offer: (asked) => planning.line(async () => offerIn(await planning.survey(asked), asked)),
  give: (asked) => planning.line(() => give(asked, planning)),
  withdraw: (asked, seq, by) => withdrawAsked(asked, { seq, by }, planning),
});

/** What waits, of what the asker may let pass: all owners of an action must lie within their bounds. */
async function offerIn(survey: KeptSurvey, asked: OfferAsked): Promise<Offered> {
  const { store, estate } = survey;
  const said = await saidOf(survey);
  const { plans, going } = await approvableIn(survey, said, asked.address);
  const sight = { ...asked, quantity: 'every' } as const;
  const shown = seenOf(survey, plans, sight);
  const generation = survey.bound.generation ?? 0;
  const scopes = shown.plans.filter(({ actions }) => actions.length > 0).map(({ scope }) => scope);
  const waiting = { estate: estate.name, generation, scopes };
  return {
    ...shown,
    digest: planDigest(shown.plans, sha256),
    generation,
    free: seenOf(survey, going, sight).plans.flatMap(({ actions }) => actions).length,
    authors: await authorshipOf(waiting, asked.by, store),
    // why: one tells of all in its scope that it was given for, whose ever it is
    given: survey.looked.flatMap((view) =>
      seesWholeScope(view, asked) ? (said.get(view.scope.scope)?.approvals ?? []) : [],
    ),
  };
}

async function give(asked: OfferAsked & ApprovalWord, planning: Planning): Promise<Given> {
  const survey = await planning.survey(asked);
  refuseUnseen(seenOf(survey, survey.plans, asked));
  const offer = await offerIn(survey, asked);
  const { plans, digest, generation, authors } = offer;
  if (digest !== asked.digest)
    throw new Declined(
      'conflict',
      'What waits has another digest by now. Look at it, and approve what you saw: GET /v1/approvals.',
      {
        digest,
        generation,
      },
    );
  if (authors.refused !== undefined) throw new Declined('forbidden', authors.refused);
  const { person } = asked.by;
  const { reason, until } = asked;
  const by = { person, reason, ...(authors.unknown ? { authorsUnknown: true as const } : {}) };
  const { store } = planning;
  const given = await giveApproval({ estate: asked.estate, plans, digest, generation, by, until }, store);
  const scopes = given.map(({ scope }) => scope);
  await wishPasses({ name: asked.estate }, scopes, { store, reason: `${person} approved: ${reason}` });
  return { generation, digest, authors, given };
}

/** An approval is bound to what was seen. */
function refuseUnseen({ plans }: Planned): void {
  const why = plans.flatMap(({ findings }) => findings.filter(({ type }) => unseen.has(type))).map((one) => one.why);
  if (why.length > 0)
    throw new Declined('conflict', 'Nothing is approved on half a look: `why` says what is missing.', { why });
}

const unseen: ReadonlySet<string> = new Set(['incomplete', 'wrong-account', 'foreign-store']);
