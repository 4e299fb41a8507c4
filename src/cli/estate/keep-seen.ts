import { printable } from '../../core/text.ts';
import type { Converged } from '../../engine/converge.ts';
import { keepInForce, type SeenScope } from '../../estate/active-spec.ts';
import { attemptOf } from '../../estate/inventory-sync.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import type { Looked } from './look.ts';

/** The lines of the inventory as a look found them. It fails no command: what cannot be kept is said. */
export const keepSeen = (
  estate: Estate,
  looked: readonly Looked[],
  store: Store | undefined,
  context: Context,
): Promise<void> =>
  keep(
    estate,
    looked.map(({ scope, input: { observation, knowledge } }) => ({ scope, observation, knowledge })),
    { store, context },
  );

/** The same of what was carried out: where nothing was to do, the look before it holds. */
export function keepApplied(
  estate: Estate,
  looked: readonly Looked[],
  converged: readonly Converged[],
  means: { readonly store: Store; readonly context: Context },
): Promise<void> {
  const last = new Map(converged.map((one) => [one.last?.observation.scope, one]));
  const seen = looked.map(({ scope, input }): SeenScope => {
    const end = last.get(scope.scope);
    const { observation, knowledge } = end?.last ?? input;
    const attempt = attemptOf(end?.passes ?? []);
    return { scope, observation, knowledge, ...(attempt === undefined ? {} : { attempt }) };
  });
  return keep(estate, seen, means);
}

interface Means {
  readonly store: Store | undefined;
  readonly context: Context;
}

async function keep(estate: Estate, seen: readonly SeenScope[], { store, context }: Means): Promise<void> {
  if (store === undefined) return;
  try {
    await keepInForce(estate, seen, store);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.terminal.err.write(`What was seen was not kept as the inventory: ${printable(why)}\n`);
  }
}
