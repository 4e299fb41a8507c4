import type { Held, PauseDraft, PauseSubject } from '../core/pause.ts';
import { heldText } from '../core/render/wording.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { BegunPause, EstateAsked, PauseAnswers, PauseAsked } from '../ports/answers.ts';
import type { By } from '../ports/by.ts';
import { Declined } from '../ports/declined.ts';
import type { Pause } from '../ports/pauses.ts';
import { type Grounds, openInForce } from './opened.ts';
import { resumesOn } from './resumes.ts';
import { namesIn, scopesOf } from './subject.ts';
import { subjectWithin } from './subject-within.ts';
import { callsOnTheWay, scopesRunning, wishPasses } from './wish.ts';

export const pausesOn = (grounds: Grounds): PauseAnswers => ({
  list: async (asked) => {
    const { pauses, estate } = await pausedIn(asked, grounds);
    return pauses.filter(({ of }) => subjectWithin(asked.seen, of, estate));
  },
  begin: (asked, draft) => begin(asked, draft, grounds),
  end: (asked, held, by) => end(asked, { held, by }, grounds),
  ...resumesOn(grounds),
});

async function pausedIn({ estate: name }: EstateAsked, grounds: Grounds) {
  const pauses = await grounds.store.fleet.pauses.inForce(name);
  return { pauses, estate: (await openInForce(name, grounds)).estate };
}

async function begin(asked: PauseAsked, draft: PauseDraft, grounds: Grounds): Promise<BegunPause> {
  const { store } = grounds;
  const { estate } = await openInForce(asked.estate, grounds);
  const { of } = draft;
  if (of.by !== 'estate' && !(await namesIn(estate, store))[of.by].has(of.name)) throw unknown();
  refuseOthers(asked, of, estate);
  const pause = await store.fleet.pauses.begin(asked.estate, draft);
  // why: what runs may be of former specs, in scopes that those in force do not know
  const its = scopesOf(of, estate);
  const scopes = [...new Set([...its, ...(await scopesRunning(estate, store))])];
  await wishPasses(estate, scopes, { store, reason: `${draft.person} paused ${heldText(draft)}: ${draft.reason}` });
  // why: where else somebody works is told to those who see all of the estate
  const seen = subjectWithin(asked.seen, { by: 'estate' }, estate) ? scopes : its;
  return { pause, scopes: seen, onTheWay: (await callsOnTheWay(asked.estate, its, store)).length };
}

interface Ending {
  readonly held: Held | 'all';
  readonly by: By;
}

async function end(asked: PauseAsked, { held, by }: Ending, grounds: Grounds): Promise<readonly Pause[]> {
  const { store } = grounds;
  const { pauses, estate } = await pausedIn(asked, grounds);
  const meant = pauses.filter((pause) =>
    held === 'all' ? subjectWithin(asked.mine, pause.of, estate) : heldText(pause) === heldText(held),
  );
  if (held !== 'all') {
    if (meant.length === 0) throw unknown();
    refuseOthers(asked, held.of, estate);
  }
  const ended: Pause[] = [];
  for (const one of new Map(meant.map((pause) => [heldText(pause), pause])).values())
    ended.push(...(await store.fleet.pauses.end(asked.estate, { what: one.what, of: one.of }, by)));
  const scopes = new Set(ended.flatMap(({ of }) => scopesOf(of, estate)));
  await wishPasses(estate, [...scopes], { store, reason: `${by.person} resumed: ${by.reason}` });
  return ended;
}

const unknown = (): Declined => new Declined('unknown', 'There is nothing here that you may see.');

/** What is not seen is not there; what is seen and not theirs is told to be so. */
function refuseOthers({ seen, mine }: PauseAsked, of: PauseSubject, estate: OpenedEstate): void {
  if (!subjectWithin(seen, of, estate) && of.by !== 'estate') throw unknown();
  if (!subjectWithin(mine, of, estate))
    throw new Declined('forbidden', 'This needs the permission operate over all that is held.', {
      permission: 'operate',
    });
}
