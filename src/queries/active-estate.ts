import type { DocumentEdit } from '../core/documents/document-edit.ts';
import { messageOf } from '../core/text.ts';
import type { OpenedEstate } from '../estate/load.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { SpecSnapshot } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/knowledge.ts';
import { Declined, type EstateAsked, type Posted } from '../ports/queries.ts';
import type { ChangedFile, EditedFile, SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { estateViewOf, type ScopeView, type StoredEstateView, scopeViews } from './estate-view.ts';

/** The dependencies of every query. */
export interface QueryContext {
  readonly store: Store;
  /** The specs of a generation, compiled. Rejects where they cannot be opened by this version. */
  open(estate: string, generation: Generation): Promise<OpenedEstate>;
  readonly posted: PostedSpecReader;
  readonly edits: SpecEditor;
  readonly clock: Clock;
}

/** The ways to specs that somebody posted. */
interface PostedSpecReader {
  /** Reads and checks posted specs beside the active ones; throws `Declined` where they are too large. */
  read(posted: Posted, active: SpecTree): Promise<SpecTree>;
  /** The same, kept before. */
  again(kept: SpecSnapshot, revision: string): SpecTree | Promise<SpecTree>;
  /** Compiles a valid tree. */
  open(tree: SpecTree): Promise<OpenedEstate>;
}

/** The way to edit the text of specs. */
interface SpecEditor {
  editSpecFile(file: SpecTree['files'][number], edits: readonly DocumentEdit[]): EditedFile;
  /** A unified diff for people, with the lines of secrets masked. */
  fileDiff(file: ChangedFile): Promise<string>;
}

/** The newest generation, and its specs. */
export interface ActiveSpec {
  readonly generation: Generation;
  readonly estate: OpenedEstate;
}

export async function openActiveSpec(
  name: string,
  { store, open }: Pick<QueryContext, 'store' | 'open'>,
): Promise<ActiveSpec> {
  const generation = await store.generations.current(name);
  if (generation === undefined)
    throw new Declined(
      'conflict',
      'The estate has no active generation yet. Apply specs, or start a worker that follows them.',
    );
  return { generation, estate: await open(name, generation).catch(unopened) };
}

function unopened(cause: unknown): never {
  const why = messageOf(cause);
  throw new Declined('conflict', `This version of Setpoint cannot open the active specs: ${why}`, { cause });
}

/** The active specs with their newest observations; of these targets only, where some are named. */
export async function activeEstateView(
  { estate: name, targets }: EstateAsked,
  grounds: QueryContext,
): Promise<StoredEstateView> {
  for (let left = tries; ; left -= 1) {
    const { generation, estate } = await openActiveSpec(name, grounds);
    const scopes = estate.compiled.scopes.filter((scope) => isChosen(scope.wanted.targets, targets));
    const survey = await estateViewOf({ ...estate, dir: '', scopes }, grounds.store);
    // why: another generation may have come into force meanwhile, and this would be the plan of none
    if (survey.bound.generation === generation.number) return survey;
    if (left === 0) throw new Declined('conflict', 'The active generation keeps changing. Retry.');
  }
}

/** The same scopes exactly as they were observed last, without a plan. */
export async function activeScopes(
  { estate: name, targets }: Pick<EstateAsked, 'estate' | 'targets'>,
  grounds: Pick<QueryContext, 'store' | 'open'>,
): Promise<readonly ScopeView[]> {
  const { estate } = await openActiveSpec(name, grounds);
  const scopes = estate.compiled.scopes.filter((scope) => isChosen(scope.wanted.targets, targets));
  const { inventory } = grounds.store;
  const [only, ...others] = scopes;
  // why: one of many scopes is read alone
  const one = targets !== undefined && others.length === 0 ? only?.scope : undefined;
  const observations = await inventory.latest(name, one);
  return scopeViews({ estate: { ...estate, dir: '', scopes }, observations }, grounds.store);
}

const tries = 3;

const isChosen = (these: readonly string[], targets: readonly string[] | undefined): boolean =>
  targets === undefined || these.some((name) => targets.includes(name));
