import type { Random } from './random.ts';

/** The fault of a matching request. `before`: the cloud wrote nothing. `after`: the cloud applied the write. */
export type Effect =
  | { readonly kind: 'throttle' }
  | { readonly kind: 'error'; readonly code: string; readonly status: number; readonly message?: string }
  | { readonly kind: 'error-after'; readonly code: string; readonly status: number; readonly message?: string }
  | { readonly kind: 'access-denied' }
  | { readonly kind: 'reset-before' }
  | { readonly kind: 'reset-after' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** A listing answers at most `items` a page, and says that there is more. */
  | { readonly kind: 'short-page'; readonly items: number }
  /** A listing misses each item with the chance `share`, and does not say so. */
  | { readonly kind: 'flicker'; readonly share: number }
  /** A listing over many scopes cannot reach this one (`zones/europe-west1-b`), and says so as its cloud does. */
  | { readonly kind: 'unreachable'; readonly scope: string }
  /** The request is accepted, and the long-running operation that it starts fails without having changed anything. */
  | { readonly kind: 'operation-error'; readonly code: string; readonly status: number; readonly message?: string }
  /**
   * Right before the request is applied a colleague's own request is, with the same credentials, from its beginning to
   * its end. It is in no log, and no budget pays for it. Refused, it is the test's mistake: HTTP 500 says so.
   */
  | { readonly kind: 'edit'; readonly method: string; readonly path: string; readonly body?: unknown }
  /** Ids in the answer have their resource group in capitals: https://github.com/hashicorp/terraform-provider-azurerm/issues/29841 */
  | { readonly kind: 'capitals' }
  /** The request is served from another account, as if the credentials were its. */
  | { readonly kind: 'as-account'; readonly account: string };

/** A request matches if every given part does. `nth` counts this rule's matching requests from 1. */
export interface Match {
  readonly action?: string | readonly string[];
  readonly account?: string;
  readonly region?: string;
  readonly nth?: number;
  readonly probability?: number;
  /** The rule is spent after this many hits. */
  readonly times?: number;
}

export interface FaultRule {
  readonly match: Match;
  readonly effect: Effect;
}

export interface Faults {
  /** Answers the id by which `remove` takes it away. */
  add(rule: FaultRule): string;
  remove(id: string): void;
  clear(): void;
  /** The effects on this request, in the order the rules were added. */
  strike(request: { readonly action: string; readonly account: string; readonly region: string }): readonly Effect[];
}

interface Counted extends FaultRule {
  matched: number;
  hits: number;
}

type Target = Parameters<Faults['strike']>[0];

export function makeFaults(random: Random): Faults {
  const rules = new Map<string, Counted>();
  let count = 0;
  return {
    add: (rule) => {
      const id = `fault-${++count}`;
      rules.set(id, { ...rule, matched: 0, hits: 0 });
      return id;
    },
    remove: (id) => void rules.delete(id),
    clear: () => rules.clear(),
    strike: (request) => [...rules.values()].filter((rule) => hits(rule, request, random)).map((rule) => rule.effect),
  };
}

function hits(rule: Counted, request: Target, random: Random): boolean {
  const { match } = rule;
  if (match.times !== undefined && rule.hits >= match.times) return false;
  if (!concerns(match, request)) return false;
  rule.matched++;
  if (match.nth !== undefined && match.nth !== rule.matched) return false;
  if (match.probability !== undefined && random() >= match.probability) return false;
  rule.hits++;
  return true;
}

function concerns(match: Match, request: Target): boolean {
  const actions = match.action === undefined ? undefined : [match.action].flat();
  return (
    (!actions || actions.includes(request.action)) &&
    (match.account === undefined || match.account === request.account) &&
    (match.region === undefined || match.region === request.region)
  );
}
