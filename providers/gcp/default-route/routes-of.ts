import type { Result } from '../../../src/core/failure.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { pathOf } from '../links.ts';
import type { Route } from '../messages.ts';
import { answered } from '../pages.ts';
import type { Scope } from '../scope.ts';

/** Looked at for this: what is taken away must not be judged by a listing of before. */
export async function routesOf(path: string, { listings }: Scope, call: Call): Promise<Result<readonly Route[]>> {
  const routes = await answered(listings.routes('network', call));
  return routes.ok ? { ok: true, value: routes.value.filter(({ network }) => pathOf(network ?? '') === path) } : routes;
}
