import { randomUUID } from 'node:crypto';
import type { EndedPatch, Patch, PatchField } from '../../core/patch.ts';
import type { EffectJson } from '../../core/render/effect.ts';
import type { BegunPatch } from '../../ports/queries.ts';
import { type ApiClient, queryString } from './client.ts';
import { type Decoder, decode } from './decode.ts';
import { decodeEffect, decodeViolation } from './plan-meaning.ts';
import { planned, plansOf } from './plans.ts';
import type { ServerEstateOption } from './server-option.ts';

/** A value of a document, as JSON has it. */
// why: JSON holds nothing else than a field of a document may
const anything: Decoder<PatchField['value']> = (value) => value as PatchField['value'];

const field = decode.object({ field: decode.string, value: anything, former: decode.optional(anything) });

const outside = decode.object({
  ...{ id: decode.number, kind: decode.string, name: decode.string, fields: decode.list(field) },
  ...{ actor: decode.string, reason: decode.string, at: decode.timestamp, until: decode.timestamp },
});

/** A field has the name that a person gives it; its place in the document is the server's business. */
const decodeDraft: Decoder<Omit<Patch, 'isOver'>> = (value, at) => {
  const { actor, fields, ...rest } = outside(value, at);
  const named = fields.map(({ field: name, value: set, former }) => ({
    ...{ path: ['', name], value: set },
    ...(former === undefined ? {} : { was: former }),
  }));
  // why: a server of our version answers with kinds of ours
  return { ...rest, person: actor, fields: named } as Omit<Patch, 'isOver'>;
};

const active = decode.object({ expired: decode.boolean });

const decodePatch: Decoder<Patch> = (value, at) => ({
  ...decodeDraft(value, at),
  isOver: active(value, at).expired,
});

const outsideEnd = decode.object({
  end: decode.object({
    ...{ at: decode.timestamp, type: decode.string, reason: decode.string, actor: decode.optional(decode.string) },
  }),
});

const decodeEnded: Decoder<EndedPatch> = (value, at) => {
  const { actor, reason, type, at: since } = outsideEnd(value, at).end;
  const end = { at: since, as: type, why: reason, ...(actor === undefined ? {} : { person: actor }) };
  // why: as above
  return { ...decodeDraft(value, at), end } as EndedPatch;
};

const outsideBegun = decode.object({
  estate: decode.string,
  patch: decodePatch,
  revision: decode.string,
  generation: decode.optional(decode.number),
  ...planned,
  scopes: decode.list(decode.object({ scope: decode.string, calls: decode.object({ predicted: decode.number }) })),
  effect: decode.optional(decodeEffect),
  policies: decode.optional(decode.list(decodeViolation)),
  waits: decode.list(decode.string),
  atEnd: decode.object({ deletes: decode.number, stops: decode.number }),
});

const decodeBegun: Decoder<ServerPatch> = (value, at) => {
  const { scopes, actions, findings, policies = [], ...rest } = outsideBegun(value, at);
  return { ...rest, plans: plansOf({ scopes, actions, findings }, at), violations: policies };
};

/** A patch as a server judged or began it. */
interface ServerPatch extends Omit<BegunPatch, 'generation' | 'effect'> {
  readonly estate: string;
  readonly generation?: number;
  readonly effect?: EffectJson;
}

interface PatchBody extends ServerEstateOption {
  readonly address: string;
  readonly fields: readonly { readonly field: string; readonly value: unknown }[];
  readonly reason: string;
  /** Ms since the epoch. */
  readonly until: number;
  readonly replace?: number | undefined;
}

/** `preview`: the server judges it, and begins nothing. */
export const patchOnServer = (
  client: ApiClient,
  { fields, until, ...body }: PatchBody,
  preview: boolean,
): Promise<ServerPatch> =>
  client.request(
    {
      method: 'POST',
      path: '/v1/patches',
      body: {
        ...{ ...body, preview, until: new Date(until).toISOString() },
        fields: Object.fromEntries(fields.map(({ field: name, value }) => [name, value])),
      },
      key: randomUUID(),
    },
    decodeBegun,
  );

const decodeList = decode.object({
  estate: decode.string,
  items: decode.list(decodePatch),
  ended: decode.list(decodeEnded),
});

export const fetchPatches = (client: ApiClient, { estate }: ServerEstateOption) =>
  client.request({ method: 'GET', path: `/v1/patches${queryString({ estate })}` }, decodeList);

const decodeEnd = decode.object({ estate: decode.string, patch: decodePatch, generation: decode.number });

export const endPatchOnServer = (
  client: ApiClient,
  body: ServerEstateOption & { readonly id: number; readonly reason: string },
) => client.request({ method: 'POST', path: '/v1/patches/end', body, key: randomUUID() }, decodeEnd);
