import { isForgeAddress, mayBeSamePerson, personKeys, proposalBot } from '../core/access/person.ts';
import type { Action, ScopePlan } from '../core/action.ts';
import { documentOfReplica } from '../core/resource.ts';
import { listed } from '../core/text.ts';
import type { Authorship, Poster } from '../ports/queries.ts';
import type { GenerationAuthors } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';

/** The most generations that are read; where more wait, their authors are unknown. */
const most = 200;

interface Waiting {
  readonly estate: string;
  /** The newest generation. An approval covers its actions, and those of earlier generations that are not fully applied. */
  readonly generation: number;
  readonly plans: readonly Pick<ScopePlan, 'scope' | 'actions'>[];
}

/**
 * Checks whether a caller is an author of waiting actions. Their authors are those of every generation since the one applied
 * in their scopes, the newest at any rate: actions that nobody approved then still wait in later generations. A deletion in its grace keeps
 * generations open for itself only: see `appliedBefore`.
 *
 *   known authors                                                | the caller
 *   -------------------------------------------------------------+----------------------------------------
 *   any, and the caller is the bot of proposals                  | may not
 *   one of them may be the caller                                | may not
 *   more than could be read                                      | may not: they may be among the others
 *   some, and of the caller no name                              | may not
 *   e-mail addresses, and of the caller none                     | may not: the two cannot be compared
 *   nothing of some generation (a plain folder, an older version) | may, and the approval says so
 *   of somebody only a forge's noreply address                   | may, and the approval says so
 *   a credential posted it that knows nobody's e-mail address    | may not: it may be theirs
 */
export async function authorshipOf(waiting: Waiting, by: Poster, store: Store): Promise<Authorship> {
  const { estate, generation, plans } = waiting;
  const applied = await Promise.all(plans.map((plan) => appliedBefore(plan, estate, store.fleet.rollouts)));
  const after = Math.min(generation - 1, ...applied);
  return judged(await store.authors.since(estate, after, most + 1), by);
}

/**
 * The newest generation that was applied before the specs asked for these actions:
 *
 *   the actions                                                        | applied
 *   -------------------------------------------------------------------+-----------------------------------------
 *   none is of a document of which anything was in a grace             | but for deletions that wait for the end of
 *                                                                      | their grace
 *   one is: its grace may have begun long ago, and hidden other        | fully
 *   changes of that document                                           |
 */
async function appliedBefore(
  { scope, actions }: Waiting['plans'][number],
  estate: string,
  rollouts: Store['fleet']['rollouts'],
): Promise<number> {
  const where = { estate, scope };
  const { generation, inGrace } = await rollouts.standingButGraces(where);
  const documents = new Set(inGrace.map(documentOfReplica));
  const isHidden = ({ address, documents: own }: Action): boolean =>
    [documentOfReplica(address), ...own.map((one) => one.address)].some((one) => documents.has(one));
  return actions.some(isHidden) ? rollouts.standing(where) : generation;
}

function judged(generations: readonly GenerationAuthors[], by: Poster): Authorship {
  const own = namesOf(by);
  if (own.some((name) => mayBeSamePerson(name, proposalBot.email) || mayBeSamePerson(name, proposalBot.name)))
    return {
      unknown: false,
      refused: `${proposalBot.name} proposes changes and approves none: a person must review and approve them.`,
    };
  const unknown = generations.some(({ authors }) => authors === undefined || authors.names.some(isForgeAddress));
  const ownKeys = new Set(own.flatMap(personKeys));
  const mine = generations.filter(({ authors }) => authors?.names.flatMap(personKeys).some((key) => ownKeys.has(key)));
  if (mine.length > 0)
    return {
      unknown,
      refused: `You are an author of these actions (${numbersOf(mine)}): another person must review and approve them.`,
    };
  const nameless = generations.filter(({ authors }) => authors?.names.includes(somebody));
  if (nameless.length > 0)
    return {
      unknown,
      refused: `Some actions have an unknown author (${numbersOf(nameless)}). It may be you. ${named}`,
    };
  if (generations.length > most || generations.some(({ authors }) => authors?.more === true))
    return { unknown, refused: `These actions have too many authors to check, and you may be one of them. ${onStore}` };
  const names = generations.flatMap(({ authors }) => authors?.names ?? []);
  if (names.length > 0 && by.names.length === 0)
    return {
      unknown,
      refused: `Your token names no person, so Setpoint cannot tell whether you are an author. ${ownToken}`,
    };
  if (names.some(isAddress) && !by.names.some(isAddress))
    return { unknown, refused: `Setpoint knows the authors by e-mail address, and you have none. ${ownToken}` };
  return { unknown };
}

/** All names by which a later check knows a person who posts specs. A credential's name looks like no person's. */
const namesOf = ({ person, caller, names }: Poster): readonly string[] => [
  ...new Set([...names, person, `credential ${caller}`]),
];

/** The same, as of authors: one whose e-mail address is not known may be anybody whose is, by another credential. */
export const authorsBy = (poster: Poster): readonly string[] =>
  poster.names.some(isAddress) ? namesOf(poster) : [...namesOf(poster), somebody];

const somebody = 'somebody by no e-mail address';

const isAddress = (name: string): boolean => name.includes('@');

const numbersOf = (generations: readonly GenerationAuthors[]): string =>
  `generation ${listed(generations.map(({ generation }) => `${generation}`))}`;

const onStore = 'A person with access to the store can approve with: setpoint approve --reason "…"';
const named = `Submit with a token of a person: setpoint token make --for PERSON. ${onStore}`;
const ownToken = 'Use a token or an issuer that gives your e-mail address.';
