import type { CompiledScope } from '../../core/compile/compile.ts';
import { withoutStore } from '../../core/knowledge.ts';
import { withUnrecorded } from '../../engine/converge.ts';
import { observe } from '../../engine/observe.ts';
import type { Site } from '../../engine/ports.ts';
import { providerOf } from '../../estate/load.ts';
import { openSite } from '../../estate/session.ts';
import type { Store } from '../../ports/store.ts';
import type { Estate, ScopeView } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';
import { tellScope } from '../progress/tell.ts';

/** One scope looked at now. */
export interface Looked extends ScopeView {
  readonly site: Site;
}

/** Looks at all scopes side by side. What was seen is kept where there is a store. Close the sites afterwards. */
export async function look(estate: Estate, store: Store | undefined, context: Context): Promise<readonly Looked[]> {
  const progress = progressOn(context.terminal.err, context.clock);
  const looks = estate.scopes.map((scope) =>
    lookAt(scope, estate, store, { ...context, tell: tellScope(scope.scope, progress) }),
  );
  try {
    return await Promise.all(looks);
  } finally {
    progress.end();
  }
}

type Eyes = Context & { readonly tell: ReturnType<typeof tellScope> };

async function lookAt(scope: CompiledScope, estate: Estate, store: Store | undefined, eyes: Eyes): Promise<Looked> {
  const { house, clock, stop, tell } = eyes;
  const known = (await store?.inventory.knowledge(estate.name, scope.scope)) ?? withoutStore(estate.name);
  const site = await openSite(scope, estate, { secrets: house.secrets, clock, signal: stop });
  const ports = { limiter: house.limiter, clock, random: Math.random };
  const observation = await observe(site, known, ports, { signal: stop, notify: tell });
  await store?.inventory.record(estate.name, observation);
  const knowledge = store === undefined ? known : await withUnrecorded(known, observation, store.inventory);
  const { dialect, batches } = providerOf(scope, estate);
  return { scope, site, input: { wanted: scope.wanted, observation, knowledge, dialect, batches } };
}
