import type { CompiledScope } from '../../core/compile/compile.ts';
import type { Failure, Result } from '../../core/failure.ts';
import { messageOf } from '../../core/text.ts';
import { namesOf, placedMessage } from '../../engine/regions.ts';
import { openSession } from '../../engine/session.ts';
import { openingOf } from '../../estate/session.ts';
import type { Call } from '../../ports/provider.ts';
import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { formatDuration } from '../output/format.ts';
import { type EstateSelection, type LocalEstate, readEstate } from './estate.ts';

/** `note`: not wrong, worth knowing. */
export interface Check {
  readonly name: string;
  readonly state: 'good' | 'note' | 'bad';
  readonly detail: string;
  readonly next?: string;
}

const neededNode = 24;

/** From checks that everything needs to those that few things need; a check is left out where an earlier one failed it. */
export async function checksOf(choice: EstateSelection, folder: string, context: Context): Promise<readonly Check[]> {
  const [specs, estate] = await checkSpecs(choice, context);
  const store = await checkStore(folder, context);
  const targets = estate === undefined ? [] : await checkTargets(estate, choice.allowEndpoint, context);
  return [checkNode(process.versions.node), specs, store, ...targets];
}

export function checkNode(version: string): Check {
  if (Number.parseInt(version, 10) >= neededNode) return { name: 'Node', state: 'good', detail: version };
  return { name: 'Node', state: 'bad', detail: `${version} is too old`, next: `Install Node ${neededNode} or later.` };
}

async function checkSpecs(
  choice: EstateSelection,
  context: Context,
): Promise<readonly [Check, LocalEstate | undefined]> {
  try {
    const estate = await readEstate({ ...choice, allowEndpoint: true }, context);
    const detail = `${choice.dir}: the estate ${estate.name}, ${estate.tree.documents.length} documents`;
    return [{ name: 'Specs', state: 'good', detail }, estate];
  } catch (error) {
    return [bad('Specs', error), undefined];
  }
}

async function checkStore(folder: string, { dependencies, clock }: Context): Promise<Check> {
  const name = 'Store';
  const startedAt = clock.now();
  try {
    const store = await dependencies.openStore(folder, 'existing', () => undefined);
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
    return {
      ...failed,
      next: failed.next ?? 'Check DATABASE_URL and the server. Without DATABASE_URL Setpoint runs its own database.',
    };
  }
}

/** Checks that each scope answers, and the account of its credentials as the cloud reports it. */
const checkTargets = (estate: LocalEstate, allowEndpoint: boolean, context: Context): Promise<readonly Check[]> =>
  Promise.all(estate.scopes.map((scope) => checkScope(scope, estate, allowEndpoint, context)));

async function checkScope(
  scope: CompiledScope,
  { name: share, clouds, secrets }: LocalEstate,
  allowEndpoint: boolean,
  context: Context,
): Promise<Check> {
  const [target] = scope.targets;
  const name = `Target ${target?.metadata.name ?? scope.scope}`;
  const provider = target && clouds.get(target.spec.provider);
  if (provider === undefined) return { name, state: 'bad', detail: 'unknown cloud' };
  const opening = openingOf(scope, provider);
  const { access } = opening;
  if (access.endpoint !== undefined && !allowEndpoint)
    return {
      name,
      state: 'note',
      detail: `not checked, because it is at ${access.endpoint}`,
      next: 'Check it with --allow-endpoint.',
    };
  try {
    const { clock, signal } = context;
    const session = await openSession(opening, { secrets, clock, signal });
    const call = callOf(share, context);
    const who = await session.identify(call);
    const asked = { name, account: access.account, endpoint: access.endpoint, regions: scope.regions };
    const check = judge(who, asked);
    const found = check.state === 'good' ? await session.checkRegions?.(namesOf(scope.regions), call) : undefined;
    await session.close();
    return judgeRegions(found, asked) ?? check;
  } catch (error) {
    return bad(name, error);
  }
}

/** A call of at most ten seconds. `share`: the part of the rate limits that it counts to. */
export const callOf = (share: string, { dependencies, signal }: Context): Call => ({
  signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  admit: async ({ costs }) => void (await dependencies.limiter.take({ costs, rank: 'reads', share }, signal)),
  report: () => undefined,
  secret: async () => ({}),
});

interface Asked {
  readonly name: string;
  readonly account: string;
  readonly endpoint: string | undefined;
  readonly regions: CompiledScope['regions'];
}

/** Undefined: the cloud has them all, or does not say. */
function judgeRegions(found: Result<readonly Failure[]> | undefined, { name, regions }: Asked): Check | undefined {
  if (!found?.ok || found.value.length === 0) return undefined;
  return { name, state: 'bad', detail: found.value.map((failure) => placedMessage(failure, regions)).join(' ') };
}

function judge(who: Result<string>, asked: Asked): Check {
  const { name, account, regions } = asked;
  if (!who.ok) {
    const { code } = who.failure;
    return {
      name,
      state: 'bad',
      detail: `${code}: ${placedMessage(who.failure, regions)}`,
      next: remedy(who.failure, asked),
    };
  }
  if (who.value === account) return { name, state: 'good', detail: `the credentials belong to ${account}` };
  return {
    name,
    state: 'bad',
    detail: `the credentials belong to ${who.value}, but the target is ${account}`,
    next: 'Use other credentials, or assume a role of that account: credentials: { assumeRole: … }',
  };
}

function remedy({ kind, code }: Failure, { account, endpoint }: Asked): string {
  if (code.startsWith('secret-'))
    return 'Fix the reference under `credentials:` of the target, or the secret that it names; see docs/secrets.md.';
  if (kind === 'not-found')
    return `Check that \`account:\` should be ${account}, and that these credentials may read it.`;
  if (/^(?:Expired|RequestExpired|invalid_grant)/.test(code))
    return 'The credentials have expired: log in to the cloud again (aws sso login, az login, gcloud auth application-default login), or renew the secret.';
  if (code === 'ENOTFOUND' && endpoint === undefined) return 'Check `region:` of the target, and the network.';
  if (endpoint === undefined)
    return 'Check that there are credentials (environment, profile, login, role), and that they may read their own identity.';
  return `Check that a server answers at ${endpoint}. To start one: \`setpoint sandbox\`. There AWS_ACCESS_KEY_ID=test is enough, with any secret.`;
}

/** A failed check, with its advice. */
function bad(name: string, error: unknown): Check {
  const message = messageOf(error);
  const next = error instanceof UserError ? error.details.next : undefined;
  const why = error instanceof UserError && error.details.why !== undefined ? ` ${error.details.why}` : '';
  return { name, state: 'bad', detail: `${message}${why}`, next };
}
