import { Declined, type EstateAsked } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';
import { activeEstateView, type QueryContext } from './active-estate.ts';
import type { StoredEstateView } from './estate-view.ts';

/** Whatever plans an estate is done in one line: planning takes a whole processor, and reconciles may need it. */
export interface PreviewContext extends QueryContext {
  /** `Declined` as too much where others wait already. */
  readonly line: <T>(work: () => Promise<T>) => Promise<T>;
  /** Of what is in force, within `line` only: whoever waits there for the same is answered by the one that was made before them. */
  survey(asked: EstateAsked): Promise<StoredEstateView>;
  /** All that such a survey rests on: surveys with the same one are the same. */
  stateOf(survey: StoredEstateView): string | undefined;
}

const mostWaiting = 8;

export function previewContextOn(grounds: QueryContext): PreviewContext {
  const line = inLine('plans', mostWaiting);
  const states = new WeakMap<StoredEstateView, string>();
  let asking = 0;
  let last: { readonly key: string; readonly survey: StoredEstateView } | undefined;
  return {
    ...grounds,
    line: async (work) => {
      asking += 1;
      try {
        return await line(work);
      } finally {
        asking -= 1;
        // why: an observation is large, and is kept for nobody
        if (asking === 0) last = undefined;
      }
    },
    survey: async (asked) => {
      const key = await stateOf(asked, grounds.store);
      if (last?.key !== key) last = { key, survey: await activeEstateView(asked, grounds) };
      states.set(last.survey, key);
      return last.survey;
    },
    stateOf: (survey) => states.get(survey),
  };
}

/** Another where anything that a survey rests on is: the specs, a look, or what was done or said, which the ledger notes. */
export async function stateOf(
  { estate, targets }: Pick<EstateAsked, 'estate' | 'targets'>,
  { generations, rows, audit }: Pick<Store, 'generations' | 'rows' | 'audit'>,
): Promise<string> {
  const [generation, looks, head] = await Promise.all([
    generations.current(estate),
    rows.looks(estate),
    audit.head(estate),
  ]);
  return JSON.stringify([estate, targets ?? null, generation?.number, looks, head]);
}

/** One piece of work at a time; whoever finds too many waiting is told to come again. `what`: for people. */
export function inLine(what: string, mostWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (work) => {
    if (waiting > mostWaiting)
      throw new Declined('too-many', `Too many ${what} are in progress. Retry in a few seconds.`);
    waiting += 1;
    const done = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = done.catch(() => undefined);
    return done;
  };
}
