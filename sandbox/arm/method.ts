import type { AnswerFaults } from '../protocol.ts';
import type { RateLimit, Verb } from './budget-table.ts';
import type { Subscription } from './subscription.ts';

/** One operation of ARM's REST interface, as a row of a table. */
export interface Method {
  readonly verb: Verb;
  /** Below `/subscriptions/{id}`, with parameters in braces; matched without regard to case. */
  readonly path: string;
  /** Its name in the log and in faults, as SDKs name it: `virtualNetworks.createOrUpdate`. */
  readonly action: string;
  /** The resource provider's rate limit, besides ARM's own. */
  readonly rateLimit: RateLimit;
  /** True for a POST that only looks. */
  readonly reads?: boolean;
  readonly answer: (asked: Asked) => Reply;
}

/** One request that found its method. */
export interface Asked<Name extends string = string> {
  readonly subscription: Subscription;
  /** From the path, as they were sent, percent signs undone. */
  readonly parameters: Readonly<Record<Name, string>>;
  readonly request: ArmRequest;
  /** On the sandbox's clock. */
  readonly now: number;
  readonly answerFaults: AnswerFaults;
}

export interface ArmRequest {
  /** Scheme and host as the client sees them, for the URLs in answers. */
  readonly origin: string;
  /** The whole path as it was sent, without its query. */
  readonly path: string;
  /** Names in lower case, as they are `api-version`, `$skiptoken`, `$expand`. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined where none was sent. */
  readonly body: unknown;
}

/** `body` undefined: none is sent. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

interface Definition<Path extends string> extends Omit<Method, 'path' | 'answer' | 'rateLimit'> {
  readonly path: Path;
  /** Default: the Microsoft.Network windows under `/providers/Microsoft.Network/`, none elsewhere. */
  readonly rateLimit?: RateLimit;
  readonly answer: (asked: Asked<NamesIn<Path>>) => Reply;
}

/** A method whose `answer` may only ask for parameters that its path has. */
export function method<const Path extends string>(definition: Definition<Path>): Method {
  const { answer, path, rateLimit = path.includes('/Microsoft.Network/') ? 'network' : 'none' } = definition;
  return { ...definition, rateLimit, answer: (asked) => answer(asked as Asked<NamesIn<Path>>) }; // why: the protocol fills in every parameter of this very path
}

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

type Router = (verb: string, path: string) => Found | Unknown;

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
