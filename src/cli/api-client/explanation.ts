import type {
  CadenceReason,
  Explanation,
  ModeReason,
  Origin,
  OriginPatch,
  Ownership,
} from '../../core/inventory/ownership.ts';
import type { DriftRemediation } from '../../core/remediation.ts';
import type { EffectJson } from '../../core/render/effect.ts';
import type { HeldSource } from '../../core/render/plan-json.ts';
import { type Address, type Cloud, clouds } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import { UserError } from '../errors.ts';
import { ApiError } from './api-error.ts';
import { type ApiClient, queryString } from './client.ts';
import { action, attributed, type Decoder, decode, desired, finding, heldSource } from './decode.ts';
import { decodeEffect } from './plan-meaning.ts';
import type { ServerEstateOption } from './server-option.ts';

export interface ExplanationReport {
  readonly explanation: Explanation;
  /** The effect of its actions alone; absent where it has no action, or where a server does not answer the effect. */
  readonly effect: EffectJson | undefined;
  readonly sources: readonly HeldSource[] | undefined;
  readonly auditLogs: readonly Cloud[] | undefined;
}

const ownership = attributed<Ownership>({
  reason: 'why',
  least: decode.object({
    scope: decode.string,
    observed: decode.unchecked(),
    claim: decode.string,
    reason: decode.string,
  }),
});

interface ModeJson extends Omit<ModeReason, 'why'> {
  readonly reason: string;
}

const leastOrigin = decode.unchecked<
  Omit<Origin, 'patch'> & { readonly patch?: Omit<OriginPatch, 'until'> & { readonly until: string } }
>();

const origin: Decoder<Origin> = (value, at) => {
  const { patch, ...rest } = leastOrigin(value, at);
  return patch === undefined ? rest : { ...rest, patch: { ...patch, until: Date.parse(patch.until) } };
};

const answer = decode.object({
  address: decode.string,
  desired: decode.list(desired),
  origins: decode.list(origin),
  mode: decode.optional(decode.unchecked<ModeJson>()),
  remediation: decode.list(decode.unchecked<DriftRemediation>()),
  cadence: decode.optional(decode.unchecked<CadenceReason>()),
  objects: decode.list(ownership),
  actions: decode.list(action),
  effect: decode.optional(decodeEffect),
  findings: decode.list(finding),
  sources: decode.optional(decode.list(heldSource)),
  auditLogs: decode.optional(decode.list(decode.oneOf(...clouds))),
});

/** All about one resource, by a server's newest observations. */
export async function fetchExplanation(
  client: ApiClient,
  of: string,
  { estate }: ServerEstateOption,
): Promise<ExplanationReport> {
  const path = `/v1/explanations/${of.split('/').map(encodeURIComponent).join('/')}${queryString({ estate })}`;
  try {
    const {
      sources,
      auditLogs,
      mode,
      desired: wanted,
      objects,
      effect,
      ...explanation
    } = await client.request({ method: 'GET', path }, answer);
    const found = { ...explanation, wanted, there: objects, mode: mode && modeOf(mode) };
    return { explanation: found, effect, sources, auditLogs };
  } catch (error) {
    throw error instanceof ApiError ? severalOf(of, error) : error;
  }
}

const modeOf = ({ reason, ...mode }: ModeJson): ModeReason => ({ ...mode, why: reason });

/** The whole address for the end that a person names. */
export const fetchAddress = async (client: ApiClient, given: string, asked: ServerEstateOption): Promise<Address> =>
  (await fetchExplanation(client, given, asked)).explanation.address;

/** A name that may be one of several becomes a local error here. */
export function severalOf(given: string, refused: ApiError): UserError {
  try {
    const { addresses } = several(refused.problem.body, 'it');
    return new UserError(`"${given}" matches ${addresses.length} addresses.`, {
      next: `Write one of them in full:\n${printable(addresses).join('\n')}`,
    });
  } catch {
    return refused;
  }
}

const several = decode.object({ addresses: decode.list(decode.string) });
