import { readFile } from 'node:fs/promises';
import { instanceAddress } from '../../core/import/terraform/addresses.ts';
import { type LetGo, letGo, removedFile } from '../../core/import/terraform/let-go.ts';
import { type MissingInstance, matchState, type StateMatch } from '../../core/import/terraform/match.ts';
import type { StateInstance } from '../../core/import/terraform/state.ts';
import type { Observed } from '../../core/observed.ts';
import { printable } from '../../core/text.ts';
import type { EstateView } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { type ImportRequest, importScopes, type ProvenImport, provenImport } from './import.ts';

/** An import of the objects that a state of Terraform names, and the way in which Terraform lets go of them. */
export interface TerraformImport {
  readonly proven: ProvenImport;
  readonly match: StateMatch;
  readonly letGo: LetGo;
  /** Objects with documents that the state does not name: others refer to them. A group's rules are not among them. */
  readonly broughtAlong: readonly Observed[];
  /** The file with `removed` blocks; absent where nothing has documents. */
  readonly removed?: RemovedFile;
}

/** `isKept`: a file with the same text is there already. */
export interface RemovedFile {
  readonly path: string;
  readonly text: string;
  readonly isKept: boolean;
}

interface TerraformRequest extends ImportRequest {
  readonly instances: readonly StateInstance[];
  /** The path of the new file with `removed` blocks. */
  readonly removed: string;
}

/** The state chooses objects and gives names. Everything else in the documents is read from the clouds. */
export async function importFromTerraform(
  view: Pick<EstateView, 'estate' | 'looked' | 'plans'>,
  { instances, removed, selection, folder }: TerraformRequest,
  context: Pick<Context, 'dependencies' | 'clock'>,
): Promise<TerraformImport> {
  const scopes = importScopes(view);
  const match = matchState(instances, scopes);
  if (match.held.length === 0) throw noneHeld(match.missing);
  const chosen = { ...selection, among: match.chosen };
  const proven = await provenImport(view, { selection: chosen, folder, given: match.names }, context);
  const owned = scopes.flatMap(({ objects, adopted }) => [
    ...objects.flatMap(({ claim, observed }) => (claim === 'ours' ? [observed.id] : [])),
    ...adopted.keys(),
  ]);
  const covered = new Set([...owned, ...proven.covered.map(({ id }) => id)]);
  const forgotten = letGo(match, (id) => covered.has(id));
  const broughtAlong = proven.covered.filter(({ id, kind }) => kind !== 'firewall-rule' && !match.chosen.has(id));
  const found = { proven, match, letGo: forgotten, broughtAlong };
  if (forgotten.covered === 0) return found;
  return { ...found, removed: await freshFile(removed, removedFile(forgotten)) };
}

/** Refuses a file that is there with another text, before anything is written. */
async function freshFile(path: string, text: string): Promise<RemovedFile> {
  const before = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw new UserError(`Setpoint cannot write ${printable(path)}.`, {
      why: cause.message,
      next: 'Name another file: --removed FILE',
      cause,
    });
  });
  if (before === undefined || before === text) return { path, text, isKept: before !== undefined };
  throw new UserError(`The file ${printable(path)} is there already.`, {
    why: 'The import writes removed blocks for Terraform there, and overwrites no file.',
    next: 'Move it away, or name another file: --removed FILE',
  });
}

const mostAlike = 5;

/** A line each, at most five of one reason: a state of another account says the same of all. */
export function missingLines(missing: readonly MissingInstance[]): readonly string[] {
  return [...Map.groupBy(missing, ({ reason }) => reason)].flatMap(([reason, alike]) => [
    ...alike.slice(0, mostAlike).map(missingText),
    ...(alike.length > mostAlike ? [`and ${alike.length - mostAlike} more: ${reason}`] : []),
  ]);
}

const missingText = ({ instance, id, reason }: MissingInstance): string =>
  `${instanceAddress(instance)}${id === undefined ? '' : ` (${id})`}: ${reason}`;

const noneHeld = (missing: readonly MissingInstance[]): UserError =>
  new UserError('The clouds of the specs hold no resource of the state.', {
    where: `\n${printable(missingLines(missing)).join('\n')}`,
    next: 'Compare the account and region of the targets with the state, or refresh it: terraform apply -refresh-only',
  });
