import type { Authorship, Change, WhoReport } from '../../core/inventory/authors.ts';
import type { Ownership } from '../../core/inventory/ownership.ts';
import { healings } from '../../core/plan/healing.ts';
import { clouds, type Kind, type RuleAttributes } from '../../core/resource.ts';
import { ApiError } from './api-error.ts';
import { type ApiClient, queryString } from './client.ts';
import { type Decoder, decode, lastModified } from './decode.ts';
import { severalOf } from './explanation.ts';
import type { ServerEstateOption } from './server-option.ts';

const text = decode.optional(decode.string);

const sourced = decode.object({ source: decode.oneOf('event', 'ledger'), container: text });

const written = decode.object({
  at: decode.timestamp,
  actor: decode.string,
  verb: decode.string,
  outcome: decode.oneOf('ok', 'failed', 'open'),
  revision: decode.string,
  generation: decode.number,
  authors: decode.optional(decode.object({ names: decode.list(decode.string), more: decode.boolean })),
  seq: decode.number,
  reconcileId: decode.string,
  calls: decode.list(decode.object({ action: decode.string, requestId: text })),
  undid: decode.optional(lastModified),
});

interface About {
  readonly scope: string;
  readonly kind: Kind;
  readonly address?: string;
}

const changeOf =
  ({ scope, kind, address = '' }: About): Decoder<Change> =>
  (value, at) => {
    const { source, container } = sourced(value, at);
    if (source === 'event') {
      const by = lastModified(value, at);
      return { source, at: by.at, by, ...(container === undefined ? {} : { container }) };
    }
    const { actor: approver, authors, ...write } = written(value, at);
    const own = { source, at: write.at, write: { ...write, approver, scope, kind, address } };
    return authors === undefined ? own : { ...own, authors };
  };

const fields = decode.object({
  scope: decode.string,
  kind: decode.string,
  address: text,
  id: text,
  name: text,
  claim: text,
  reason: text,
  healing: decode.optional(decode.oneOf(...healings)),
  rule: decode.optional(decode.unchecked()),
  formerRule: decode.optional(decode.unchecked()),
});

const changed = (about: About) => decode.object({ changes: decode.list(changeOf(about)) });

const resource: Decoder<Authorship> = (value, at) => {
  const { scope, kind: given, address, id, name = '', claim, reason, healing, rule, formerRule } = fields(value, at);
  const kind = given as Kind; // why: a server of our version knows no other
  const past = id === undefined ? rule : formerRule;
  const about = { scope, kind, ...(address === undefined ? {} : { address }) };
  const object = id === undefined ? {} : { object: standing({ kind, id, name, rule }, { claim, reason }) };
  return {
    ...about,
    ...object,
    ...(past === undefined ? {} : { rule: past as RuleAttributes }), // why: a server of our version makes it
    ...(healing === undefined ? {} : { healing }),
    changes: changed(about)(value, at).changes,
  };
};

/** Only its rule, its name and its claim are shown. */
function standing(
  { rule, ...observed }: { readonly kind: Kind; readonly id: string; readonly name: string; readonly rule: unknown },
  { claim, reason: why = '' }: { readonly claim: string | undefined; readonly reason: string | undefined },
): NonNullable<Authorship['object']> {
  const object = { observed: { ...observed, attributes: rule }, claim, why };
  return object as unknown as Pick<Ownership, 'observed' | 'claim' | 'why'>; // why: a server of our version makes the rest
}

const answer = decode.object({
  subject: decode.string,
  port: decode.optional(decode.number),
  protocol: text,
  resources: decode.list(resource),
  incompleteScopes: decode.list(decode.string),
  truncated: decode.optional(decode.boolean),
  auditLogs: decode.optional(decode.list(decode.oneOf(...clouds))),
});

/** Asks a server for the authors of changes to a resource or port, by its newest observations. */
export async function fetchWho(client: ApiClient, of: string, { estate }: ServerEstateOption): Promise<WhoReport> {
  const path = `/v1/actors/${of.split('/').map(encodeURIComponent).join('/')}${queryString({ estate })}`;
  try {
    const { port, protocol, resources, incompleteScopes, ...report } = await client.request(
      { method: 'GET', path },
      answer,
    );
    const asked = port === undefined ? {} : { port: { port, ...(protocol === undefined ? {} : { protocol }) } };
    return { ...report, ...asked, found: resources, incomplete: incompleteScopes };
  } catch (error) {
    throw error instanceof ApiError ? severalOf(of, error) : error;
  }
}
