import type { CompiledScope } from '../../core/compile/compile.ts';
import type { Result } from '../../core/failure.ts';
import type { Call } from '../../ports/actuator.ts';
import type { Session } from '../../ports/provider.ts';
import type { Context } from '../context.ts';
import type { Estate } from '../estate/estate.ts';
import { accessOf } from '../estate/look.ts';
import { bad, type Check } from './check.ts';

/** Whether each scope answers, and whose the credentials are by the cloud's own word. */
export const checkTargets = (estate: Estate, allowEndpoint: boolean, context: Context): Promise<readonly Check[]> =>
  Promise.all(estate.scopes.map((scope) => checkScope(scope, estate, { ...context, allowEndpoint })));

type Asking = Context & { readonly allowEndpoint: boolean };

async function checkScope(scope: CompiledScope, { clouds }: Estate, asking: Asking): Promise<Check> {
  const [target] = scope.targets;
  const name = `Target ${target?.metadata.name ?? scope.scope}`;
  const provider = target && clouds.get(target.spec.provider);
  const access = accessOf(scope);
  if (access.endpoint !== undefined && !asking.allowEndpoint)
    return {
      name,
      state: 'note',
      detail: `not asked, it is at ${access.endpoint}`,
      next: 'Ask it with --allow-endpoint.',
    };
  if (provider === undefined) return { name, state: 'bad', detail: 'no such cloud' };
  try {
    const session = await provider.open(access, asking.clock);
    const who = await ask(session, asking);
    await session.close();
    return judge(who, { name, account: access.account });
  } catch (error) {
    return bad(name, error);
  }
}

const ask = (session: Session, { house, stop }: Asking): Promise<Result<string>> => {
  const call: Call = {
    signal: AbortSignal.any([stop, AbortSignal.timeout(10_000)]),
    admit: ({ costs }) => house.limiter.take(costs, stop),
    report: () => undefined,
    secret: async () => ({}),
  };
  return session.identify(call);
};

function judge(who: Result<string>, { name, account }: { readonly name: string; readonly account: string }): Check {
  if (!who.ok) {
    const { code, message } = who.failure;
    const next =
      'Are there credentials (environment, profile, role), and may they ask who they are? Is the endpoint up?';
    return { name, state: 'bad', detail: `${code}: ${message}`, next };
  }
  if (who.value === account) return { name, state: 'good', detail: `the credentials are those of ${account}` };
  return {
    name,
    state: 'bad',
    detail: `the credentials are those of ${who.value}, the target is ${account}`,
    next: 'Use other credentials, or assume a role of that account: credentials: { assumeRole: … }',
  };
}
