import type { CompiledScope } from '../../core/compile/compile.ts';
import type { Failure, Result } from '../../core/failure.ts';
import { namesOf, placedMessage } from '../../engine/regions.ts';
import { openSession } from '../../engine/session.ts';
import { openingOf } from '../../estate/session.ts';
import type { Call } from '../../ports/provider.ts';
import type { Estate } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { bad, type Check } from './check.ts';

/** Whether each scope answers, and whose the credentials are by the cloud's own word. */
export const checkTargets = (estate: Estate, allowEndpoint: boolean, context: Context): Promise<readonly Check[]> =>
  Promise.all(estate.scopes.map((scope) => checkScope(scope, estate, { ...context, allowEndpoint })));

type Asking = Context & { readonly allowEndpoint: boolean };

async function checkScope(scope: CompiledScope, { name: share, clouds }: Estate, asking: Asking): Promise<Check> {
  const [target] = scope.targets;
  const name = `Target ${target?.metadata.name ?? scope.scope}`;
  const provider = target && clouds.get(target.spec.provider);
  if (provider === undefined) return { name, state: 'bad', detail: 'no such cloud' };
  const opening = openingOf(scope, provider);
  const { access } = opening;
  if (access.endpoint !== undefined && !asking.allowEndpoint)
    return {
      name,
      state: 'note',
      detail: `not asked, it is at ${access.endpoint}`,
      next: 'Ask it with --allow-endpoint.',
    };
  try {
    const { house, clock, stop: signal } = asking;
    const session = await openSession(opening, { secrets: house.secrets, clock, signal });
    const call = callOf(share, asking);
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

const callOf = (share: string, { house, stop }: Asking): Call => ({
  signal: AbortSignal.any([stop, AbortSignal.timeout(10_000)]),
  admit: async ({ costs }) => void (await house.limiter.take({ costs, rank: 'reads', share }, stop)),
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
  if (who.value === account) return { name, state: 'good', detail: `the credentials are those of ${account}` };
  return {
    name,
    state: 'bad',
    detail: `the credentials are those of ${who.value}, the target is ${account}`,
    next: 'Use other credentials, or assume a role of that account: credentials: { assumeRole: … }',
  };
}

function remedy({ kind, code }: Failure, { account, endpoint }: Asked): string {
  if (code.startsWith('secret-'))
    return 'Mend the reference under `credentials:` of the target, or what it names; see docs/secrets.md.';
  if (kind === 'not-found') return `Is ${account} the right \`account:\`, and may these credentials read it?`;
  if (/^(?:Expired|RequestExpired|invalid_grant)/.test(code))
    return 'The credentials have expired: log in to the cloud again (aws sso login, az login, gcloud auth application-default login), or renew the secret.';
  if (code === 'ENOTFOUND' && endpoint === undefined) return 'Look at `region:` of the target, and at the network.';
  if (endpoint === undefined)
    return 'Are there credentials (environment, profile, login, role), and may they ask who they are?';
  return `Does anything answer at ${endpoint}? Start it, as with \`setpoint sandbox\`: AWS_ACCESS_KEY_ID=test will do there, with any secret.`;
}
