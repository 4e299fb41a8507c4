import type { Method } from './method.ts';

/** A method found by its path, and what the path filled in for its parameters. */
export interface Found {
  readonly method: Method;
  readonly parameters: Readonly<Record<string, string>>;
}

/** No method has this path, or none has it with this verb. */
export type Unknown = 'no-path' | 'no-verb';

interface Route {
  readonly method: Method;
  readonly pattern: RegExp;
}

export type Router = (verb: string, path: string) => Found | Unknown;

/** Paths as in `Method`, without regard to case; a slash at the end is none. */
export function makeRouter(methods: readonly Method[]): Router {
  const routes = Map.groupBy(
    methods.map((method): Route => ({ method, pattern: patternOf(method.path) })),
    ({ method }) => depthOf(method.path),
  );
  return (verb, path) => {
    const trimmed = path.replace(/\/$/, '');
    const hits = (routes.get(depthOf(trimmed)) ?? []).filter(({ pattern }) => pattern.test(trimmed));
    const hit = hits.find(({ method }) => method.verb === verb);
    if (!hit) return hits.length > 0 ? 'no-verb' : 'no-path';
    const groups = hit.pattern.exec(trimmed)?.groups ?? {};
    const parameters = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { method: hit.method, parameters: Object.fromEntries(parameters) };
  };
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`, 'i');
}
