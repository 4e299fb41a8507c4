import { type Bounds, covers, type Subject } from '../core/access/grant.ts';
import type { Held, PauseDraft, PauseSubject } from '../core/pause.ts';
import { heldText } from '../core/render/held-text.ts';
import type { OpenedEstate } from '../estate/opened-estate.ts';
import type { BegunPause, EstateAsked, PauseAnswers, PauseAsked } from '../ports/answers.ts';
import { Declined } from '../ports/declined.ts';
import type { Pause } from '../ports/pauses.ts';
import { type Grounds, openInForce } from './opened.ts';
import { namesIn, scopesOf } from './subject.ts';
import { scopesRunning, wishPasses } from './wish.ts';

export const pausesOn = (grounds: Grounds): PauseAnswers => ({
  list: async (asked) => {
    const { pauses, estate } = await pausedIn(asked, grounds);
    return pauses.filter(({ of }) => isWithin(asked.seen, of, estate));
  },
  begin: (asked, draft) => begin(asked, draft, grounds),
  end: (asked, held, by) => end(asked, { held, by }, grounds),
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
  return { pause, scopes: isWithin(asked.seen, { by: 'estate' }, estate) ? scopes : its };
}

interface Ending {
  readonly held: Held | 'all';
  readonly by: { readonly person: string; readonly reason: string };
}

async function end(asked: PauseAsked, { held, by }: Ending, grounds: Grounds): Promise<readonly Pause[]> {
  const { store } = grounds;
  const { pauses, estate } = await pausedIn(asked, grounds);
  const meant = pauses.filter((pause) =>
    held === 'all' ? isWithin(asked.mine, pause.of, estate) : heldText(pause) === heldText(held),
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
  if (!isWithin(seen, of, estate) && of.by !== 'estate') throw unknown();
  if (!isWithin(mine, of, estate))
    throw new Declined('forbidden', 'This needs the permission operate over all that is held.', {
      permission: 'operate',
    });
}

const isWithin = (bounds: readonly Bounds[], of: PauseSubject, estate: OpenedEstate): boolean =>
  bounds.some((one) => covers(one, subjectOf(of, estate)));

/** What is in no specs any more is everybody's who has all of the estate. */
function subjectOf(of: PauseSubject, { name: estate, compiled }: OpenedEstate): Subject {
  switch (of.by) {
    case 'estate':
      return { estate };
    case 'target':
      return { estate, targets: [of.name] };
    case 'owner':
      return { estate, owner: of.name };
    case 'address': {
      const scope = compiled.scopes.find(({ scope: key }) => of.name.startsWith(`${key}/`));
      const desired = scope?.wanted.desired.find(({ address }) => address === of.name);
      const document = scope?.wanted.documents.get(desired?.documents[0]?.address ?? of.name);
      return document === undefined ? { estate } : { estate, targets: document.targets, owner: document.owner ?? '' };
    }
  }
}
