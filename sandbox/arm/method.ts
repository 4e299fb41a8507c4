import type { Blur } from '../protocol.ts';
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
  readonly blur: Blur;
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
