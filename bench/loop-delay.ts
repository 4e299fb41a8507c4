import { keptSource } from '../src/source/kept-source.ts';
import { loadTree } from '../src/source/load.ts';
import { parseSpecsAside } from '../src/source/parse-thread.ts';
import { answersWorld } from '../test/answers/support/answers-world.ts';
import { labelled, people } from '../test/answers/support/change.ts';
import type { Figure } from './figure.ts';
import { type Bodies, planBodies, specTexts } from './loop-delay/hostile-bodies.ts';
import { longestTurn } from './loop-delay/longest-turn.ts';

const today = '2027-01-31';

/**
 * How long hostile input holds the loop, on which leases are renewed and everybody is answered: bodies of `POST /v1/plans`, and
 * spec files of commits. The value is the longest of all; each that is over 50 ms is told on stderr.
 */
export async function loopDelay(posted = planBodies, committed = specTexts): Promise<readonly Figure[]> {
  const world = answersWorld(people);
  await world.accept(labelled('a'), { mode: 'plan' });
  await world.pass();
  const post = async (body: string): Promise<void> => {
    await world.api.ask('ada', 'POST /v1/plans', { body: Buffer.from(body) });
  };
  const commit = async (text: string): Promise<void> => {
    const source = keptSource({ files: [{ path: 'all.yaml', text }], userData: new Map() });
    await loadTree(source, { today, parse: parseSpecsAside });
  };
  // why: what is measured is compiled, and loaded
  await post(JSON.stringify({ specs: [{ path: 'all.yaml', text: specTexts['sound rules'] }] }));
  const longest = [await slowest('posted', posted, post), await slowest('committed', committed, commit)];
  await world.api.close();
  const count = Object.keys(posted).length + Object.keys(committed).length;
  return [{ name: 'loop-delay', value: Math.round(Math.max(...longest)), unit: `ms, of ${count} inputs` }];
}

/** `take` gets each body as bytes of its own. */
async function slowest(how: string, bodies: Bodies, take: (body: string) => Promise<void>): Promise<number> {
  let longest = 0;
  for (const [name, body] of Object.entries(bodies)) {
    const ms = await longestTurn(() => take(body));
    longest = Math.max(longest, ms);
    if (ms > mostMs) console.error(`loop-delay: ${how}: ${name} (${body.length} characters): ${ms.toFixed(0)} ms`);
  }
  return longest;
}

const mostMs = 50;

if (import.meta.main) for (const figure of await loopDelay()) console.log(JSON.stringify(figure));
