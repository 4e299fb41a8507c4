import type { ReachJson } from '../../core/render/reach.ts';
import type { EstateOptions } from '../options.ts';
import { type ApiClient, queryString } from './client.ts';
import { decode } from './decode.ts';
import type { ServerEstateOption } from './server-option.ts';

const answers = decode.oneOf('yes', 'no', 'unknown');

const texts = decode.list(decode.string);

const service = decode.object({ protocol: decode.string, ports: decode.string });

const rule = decode.object({
  address: decode.string,
  name: decode.string,
  action: decode.oneOf('allow', 'deny'),
  document: decode.optional(decode.object({ file: decode.string, line: decode.number })),
});

const step = decode.object({
  by: decode.oneOf('egress', 'ingress', 'route'),
  answer: answers,
  reason: decode.string,
  rules: decode.list(rule),
  moreRules: decode.number,
});

const way = decode.object({
  answer: answers,
  from: texts,
  to: texts,
  moreFrom: decode.number,
  moreTo: decode.number,
  open: decode.list(service),
  maybe: decode.list(service),
  steps: decode.list(step),
});

const scope = decode.object({
  scope: decode.string,
  answer: answers,
  assumptions: texts,
  notes: texts,
  ways: decode.list(way),
  moreWays: decode.number,
});

const found = decode.object({ answer: answers, scopes: decode.list(scope) });

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly port: string | undefined;
}

/** Asks a server about the traffic between two ends, by its newest observations. */
export const fetchReach = (
  client: ApiClient,
  asked: Asked,
  { estate, target }: ServerEstateOption & Pick<EstateOptions, 'target'>,
): Promise<ReachJson> =>
  client.request({ method: 'GET', path: `/v1/reach${queryString({ ...asked, estate, target })}` }, found);
