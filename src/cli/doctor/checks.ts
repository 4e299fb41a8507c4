import type { Estate } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { type Choice, readEstate } from '../estate/estate.ts';
import { formatDuration } from '../output/duration.ts';
import { bad, type Check } from './check.ts';
import { checkTargets } from './targets.ts';

const neededNode = 24;

/** From what everything needs to what only some things do; what cannot be asked because of an earlier one is left out. */
export async function checksOf(choice: Choice, folder: string, context: Context): Promise<readonly Check[]> {
  const [specs, estate] = await checkSpecs(choice, context);
  const store = await checkStore(folder, context);
  const targets = estate === undefined ? [] : await checkTargets(estate, choice.allowEndpoint, context);
  return [checkNode(process.versions.node), specs, store, ...targets];
}

export function checkNode(version: string): Check {
  if (Number.parseInt(version, 10) >= neededNode) return { name: 'Node', state: 'good', detail: version };
  return { name: 'Node', state: 'bad', detail: `${version} is too old`, next: `Install Node ${neededNode} or later.` };
}

async function checkSpecs(choice: Choice, context: Context): Promise<readonly [Check, Estate | undefined]> {
  try {
    const estate = await readEstate({ ...choice, allowEndpoint: true }, context);
    const detail = `${choice.dir}: the estate ${estate.name}, ${estate.tree.documents.length} documents`;
    return [{ name: 'Specs', state: 'good', detail }, estate];
  } catch (error) {
    return [bad('Specs', error), undefined];
  }
}

async function checkStore(folder: string, { house, clock }: Context): Promise<Check> {
  const name = 'Store';
  const startedAt = clock.now();
  try {
    const store = await house.store(folder, 'existing', () => undefined);
    if (store === undefined)
      return { name, state: 'note', detail: `none in ${folder} yet`, next: 'The first `setpoint apply` makes one.' };
    const estates = await store.estates.list();
    await store.close();
    const took = formatDuration(clock.now() - startedAt);
    return {
      name,
      state: 'good',
      detail: `${store.estates.store}, estates: ${estates.join(', ') || 'none'} (${took})`,
    };
  } catch (error) {
    const failed = bad(name, error);
    return { ...failed, next: failed.next ?? 'Is DATABASE_URL right, and the server up? Without it we bring our own.' };
  }
}
