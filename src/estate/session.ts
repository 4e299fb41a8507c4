import type { CompiledScope } from '../core/compile/compile.ts';
import { settingsOf } from '../core/desired.ts';
import type { Guards } from '../core/guards.ts';
import type { Wanted } from '../core/plan/plan-input.ts';
import { allListedSettings, documentOfReplica, type ListedSetting } from '../core/resource.ts';
import type { Site } from '../engine/ports.ts';
import { type Opening, type OpeningPorts, openSession } from '../engine/session.ts';
import type { Provider, Session } from '../ports/provider.ts';
import { launchOf } from './boot-data.ts';
import { type OpenedEstate, providerOf } from './load.ts';
import { needsImageFacts } from './policies.ts';

/** A scope's session, and the other parts that the engine needs. Close the session afterwards. */
export async function openSite(scope: CompiledScope, estate: OpenedEstate, ports: OpeningPorts): Promise<Site> {
  const opening = openingOf(scope, providerOf(scope, estate));
  return siteOn(await openSession(opening, ports), scope, { estate, ports });
}

/** The same scope by the specs of another generation, over a session that is open. */
export function siteOn(
  session: Session,
  scope: CompiledScope,
  { estate, ports }: { readonly estate: OpenedEstate; readonly ports: Pick<OpeningPorts, 'secrets' | 'signal'> },
): Site {
  const provider = providerOf(scope, estate);
  const { account, endpoint } = openingOf(scope, provider).access;
  const asking = { signal: ports.signal, endpoint };
  return {
    session,
    account,
    regions: scope.regions,
    settings: listedSettings(scope.wanted),
    batches: provider.batches,
    holds: provider.dialect.holds,
    secret: async (address) => {
      const launch = scope.launches.get(documentOfReplica(address)) ?? scope.launches.get(address);
      return launch === undefined ? {} : launchOf(estate.tree, launch, (ref) => ports.secrets.resolve(ref, asking));
    },
  };
}

/** The same scope, whose observations read facts of images where a policy asks for them, now or in the generation before. */
export async function withImageFacts(
  site: Site,
  {
    estate: { tree },
    scope,
  }: { readonly estate: Pick<OpenedEstate, 'tree'>; readonly scope: Pick<CompiledScope, 'wanted'> },
  before?: Pick<Guards, 'enforced'>,
): Promise<Site> {
  return (await needsImageFacts(tree, before)) ? { ...site, images: imagesIn(scope.wanted) } : site;
}

/** The images that documents state, each once. */
export const imagesIn = ({ desired }: Pick<Wanted, 'desired'>): readonly string[] => [
  ...new Set(desired.flatMap(({ attributes }) => ('machine' in attributes ? (attributes.machine.image ?? []) : []))),
];

/** Those that a document states. */
function listedSettings({ desired }: Pick<Wanted, 'desired'>): ReadonlySet<ListedSetting> {
  const stated = new Set(desired.flatMap((one) => Object.keys(settingsOf(one))));
  return new Set(allListedSettings.filter((setting) => stated.has(setting)));
}

/** The place and credentials of a scope. All targets of one scope have the same; else the specs are rejected. */
export function openingOf({ scope, targets: [target] }: CompiledScope, provider: Provider): Opening {
  if (target === undefined) throw new Error(`${scope} has no target`);
  const { account, region, endpoint, credentials } = target.spec;
  return {
    provider,
    access: { scope, account, region, endpoint },
    given: credentials,
  };
}
