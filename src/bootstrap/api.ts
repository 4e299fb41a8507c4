import type { ApiSettings, RunningFleet } from '../cli/context.ts';
import { signLedgers } from '../fleet/signer.ts';
import { supervise } from '../fleet/supervisor.ts';
import { createLog, logSettings } from '../telemetry/log.ts';
import { createTelemetry } from '../telemetry/telemetry.ts';
import { callerLimitOf } from './environment.ts';
import { openApiServer } from './http-server.ts';
import { externalAccess, openApiResources, type Runtime } from './process-context.ts';

/** Wires the API without a worker. Where one of its parts fails none is left open. */
export async function startApi(settings: ApiSettings, runtime: Runtime): Promise<RunningFleet> {
  const { folder, allowEndpoint, listen } = settings;
  const { env, clock, out } = runtime;
  const log = createLog(out, logSettings(env));
  const callerLimit = callerLimitOf(env);
  await using stack = new AsyncDisposableStack();
  const { store, queue, close } = await openApiResources(folder, { env, clock, log });
  stack.defer(close);
  const outside = externalAccess('api', allowEndpoint, runtime);
  const { telemetry } = createTelemetry({ log });
  const ground = { store, queue, outside, clock, log };
  const server = await openApiServer(listen, { ground, isAlone: !env['DATABASE_URL'], callerLimit });
  const end = new AbortController();
  const context = { store, outside, clock, telemetry };
  const signer = supervise('signer', () => signLedgers(context, end.signal), { clock, log, signal: end.signal });
  stack.defer(() => signer);
  stack.defer(server.close);
  const owned = stack.move();
  return {
    httpUrl: server.url,
    firstToken: server.firstToken,
    stop: async () => {
      log.info('API stopping: finishing open requests');
      end.abort();
      await owned.disposeAsync();
      log.info('API stopped');
    },
  };
}
