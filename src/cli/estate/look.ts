import { documentOfReplica } from '../../core/address.ts';
import type { CompiledScope } from '../../core/compile/compile.ts';
import { withoutStore } from '../../core/knowledge.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import type { Site } from '../../engine/job.ts';
import { observe } from '../../engine/observe.ts';
import { type Opening, openSession } from '../../engine/open-session.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Store } from '../../ports/store.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';
import { tellScope } from '../progress/tell.ts';
import type { Estate } from './estate.ts';
import { launchOf } from './hashes.ts';

/** One scope looked at: where, and all that a plan of it needs. */
export interface Looked {
  readonly scope: CompiledScope;
  readonly site: Site;
  readonly input: PlanInput;
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
  const knowledge = (await store?.inventory.knowledge(estate.name, scope.scope)) ?? withoutStore(estate.name);
  const site = await openSite(scope, estate, eyes);
  const ports = { limiter: house.limiter, clock, random: Math.random };
  const observation = await observe(site, knowledge, ports, { signal: stop, tell });
  await store?.inventory.record(estate.name, observation);
  const { dialect } = cloudOf(scope, estate);
  return { scope, site, input: { wanted: scope.wanted, observation, knowledge, dialect } };
}

async function openSite(scope: CompiledScope, estate: Estate, { house, clock, stop }: Eyes): Promise<Site> {
  const provider = cloudOf(scope, estate);
  const opening = openingOf(scope, provider);
  const { account, endpoint } = opening.access;
  const asking = { signal: stop, ...(endpoint === undefined ? {} : { endpoint }) };
  return {
    session: await openSession(opening, { secrets: house.secrets, clock, signal: stop }),
    account,
    batches: provider.batches,
    holds: provider.dialect.holds,
    secret: async (address) => {
      const launch = scope.launches.get(documentOfReplica(address)) ?? scope.launches.get(address);
      return launch === undefined ? {} : launchOf(estate.tree, launch, (ref) => house.secrets.resolve(ref, asking));
    },
  };
}

function cloudOf({ scope, targets: [target] }: CompiledScope, { clouds }: Estate) {
  const cloud = target && clouds.get(target.spec.provider);
  if (cloud === undefined) throw new Error(`${scope} is on no cloud that was opened`);
  return cloud;
}

/** Where a scope is and with whose credentials; several targets of one scope have the same, the specs are refused else. */
export function openingOf({ scope, targets: [target] }: CompiledScope, provider: Provider): Opening {
  if (target === undefined) throw new Error(`${scope} has no target`);
  const { account, region, endpoint, credentials } = target.spec;
  return {
    provider,
    access: { scope, account, region, ...(endpoint === undefined ? {} : { endpoint }) },
    given: credentials,
  };
}
