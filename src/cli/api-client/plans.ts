import { randomUUID } from 'node:crypto';
import type { Action, Finding, ScopePlan } from '../../core/action.ts';
import type { Problem } from '../../core/documents/problem.ts';
import { baseRevision } from '../../core/patch.ts';
import type { Violation } from '../../core/policy/evaluate.ts';
import type { EffectJson } from '../../core/render/effect.ts';
import type { PlanBound } from '../../core/render/plan-json.ts';
import { clouds } from '../../core/resource.ts';
import { placedIn } from '../../estate/load.ts';
import type { SpecTree } from '../../ports/sources.ts';
import { namedFromHere } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import type { EstateOptions } from '../options.ts';
import { printHeldSources } from '../output/plan.ts';
import { problemText } from '../output/problems.ts';
import { ApiError } from './api-error.ts';
import { type ApiClient, queryString } from './client.ts';
import { action, DecodeError, type Decoder, decode, finding, heldSource } from './decode.ts';
import { decodeEffect, decodeViolation } from './plan-meaning.ts';
import type { ServerEstateOption } from './server-option.ts';

/** The parts of a plan that a command renders, from any planner. */
export interface PlanReport {
  readonly bound: PlanBound;
  readonly plans: readonly ScopePlan[];
  /** Absent where nobody computed it, or where a grant does not cover it. */
  readonly effect?: EffectJson;
  readonly violations?: readonly Violation[];
}

/** `targets`: of which scopes were answered for. */
interface ServerPlan extends PlanReport {
  readonly targets: readonly string[];
}

const calls = decode.object({ observed: decode.optional(decode.number), predicted: decode.number });
const scoped = decode.object({ scope: decode.string });

/** Actions and findings, each with its scope. */
export const planned = {
  actions: decode.list((value, at) => ({ scope: scoped(value, at).scope, action: bare(action(value, at)) })),
  findings: decode.list(finding),
};

const answer = decode.object({
  estate: decode.string,
  revision: decode.string,
  generation: decode.optional(decode.number),
  serial: decode.optional(decode.number),
  sources: decode.optional(decode.list(heldSource)),
  looserGuards: decode.optional(decode.list(decode.string)),
  auditLogs: decode.optional(decode.list(decode.oneOf(...clouds))),
  cost: decode.optional(
    decode.object({
      currency: decode.string,
      before: decode.number,
      after: decode.number,
      unpriced: decode.list(decode.object({ what: decode.string, count: decode.number })),
      limit: decode.optional(decode.number),
    }),
  ),
  withheldDrift: decode.optional(
    decode.list(
      decode.object({
        code: decode.string,
        count: decode.number,
        next: decode.string,
        actors: decode.optional(decode.list(decode.string)),
      }),
    ),
  ),
  effect: decode.optional(decodeEffect),
  policies: decode.optional(decode.list(decodeViolation)),
  scopes: decode.list(decode.object({ scope: decode.string, targets: decode.list(decode.string), calls })),
  ...planned,
});

/** Removes the fields that a server adds to an action. */
function bare(report: Action & { readonly scope?: string; readonly digest?: string }): Action {
  const { scope: _scope, digest: _digest, ...one } = report;
  return one;
}

/** The parts of plans, as a server answers them. */
interface PlanParts {
  readonly scopes: readonly Pick<ScopePlan, 'scope' | 'calls'>[];
  readonly actions: ReturnType<(typeof planned)['actions']>;
  readonly findings: readonly Finding[];
}

/** By scope. */
export function plansOf({ scopes, actions, findings }: PlanParts, at: string): readonly ScopePlan[] {
  const known = new Set(scopes.map(({ scope }) => scope));
  const stray = [...actions, ...findings].find(({ scope }) => !known.has(scope));
  if (stray !== undefined) throw new DecodeError(`${at}.scopes`, 'all scopes of its actions and findings');
  const [acting, found] = [Map.groupBy(actions, ofScope), Map.groupBy(findings, ofScope)];
  return scopes.map(({ scope, calls: made }) => ({
    scope,
    actions: (acting.get(scope) ?? []).map((one) => one.action),
    findings: found.get(scope) ?? [],
    calls: made,
  }));
}

/** A plan as a server answers it, as the one of a store from here: by scope. */
export const decodePlan: Decoder<ServerPlan> = (value, at) => {
  const { scopes, actions, findings, effect, policies, ...bound } = answer(value, at);
  const plans = plansOf({ scopes, actions, findings }, at);
  return {
    ...{ bound, plans, targets: scopes.flatMap(({ targets }) => targets) },
    ...(effect === undefined ? {} : { effect }),
    ...(policies === undefined ? {} : { violations: policies }),
  };
};

const ofScope = ({ scope }: { readonly scope: string }): string => scope;

/** Specs to be planned beside a server's active ones. `dir`: goes before the paths of their files for people. */
interface ProposedSpecs {
  readonly dir: string;
  readonly tree: SpecTree;
  readonly estate: string | undefined;
  /** For whose repository they are; absent: the estate's own. */
  readonly team: string | undefined;
}

/** Planning takes a server longer than an answer out of its store. */
const planMs = 120_000;

export async function requestPlan(client: ApiClient, { dir, tree, estate, team }: ProposedSpecs): Promise<PlanReport> {
  const body = {
    estate: estate ?? tree.estate?.value.metadata.name,
    specs: tree.files.map(({ path, text }) => ({ path, text })),
    userData: [...tree.userData].map(([path, { bytes }]) => ({ path, base64: bytes.toString('base64') })),
    team,
  };
  const report = await postPlan(client, body, dir);
  refuseOverlay(report, tree, client.url);
  const { plans, effect, violations } = report;
  const fromHere = <T extends { readonly document?: { readonly file: string } | undefined }>(one: T): T =>
    one.document === undefined ? one : { ...one, document: placedIn(dir, one.document) };
  return {
    ...{ ...report, plans: plans.map((plan) => namedFromHere(plan, dir)) },
    ...(effect === undefined ? {} : { effect: { ...effect, idle: effect.idle.map(fromHere) } }),
    ...(violations === undefined ? {} : { violations: violations.map(fromHere) }),
  };
}

/** Plans the server's active specs. */
export const requestActivePlan = (
  client: ApiClient,
  { estate, target }: { readonly estate: string | undefined; readonly target: readonly string[] },
): Promise<ServerPlan> =>
  postPlan(client, { estate, active: true, ...(target.length === 0 ? {} : { targets: target }) }, '');

async function postPlan(client: ApiClient, body: object, dir: string): Promise<ServerPlan> {
  try {
    const request = { method: 'POST', path: '/v1/plans', body, key: randomUUID(), atMostMs: planMs } as const;
    return await client.request(request, decodePlan);
  } catch (error) {
    throw error instanceof ApiError ? specProblems(error, dir) : error;
  }
}

/** A server reads specs with its active overlay, and with none where none is. */
function refuseOverlay({ bound }: PlanReport, { overlay }: SpecTree, url: string): void {
  if (overlay === undefined || baseRevision(bound.revision).endsWith(`@${overlay}`)) return;
  throw new UserError(`A plan cannot be made with the overlay ${overlay} at ${url}.`, {
    why: 'The server reads specs with its active overlay, which is another one or none.',
    next: 'Remove --overlay.',
    code: exitCodes.refused,
  });
}

/** Problems of specs keep their file and line, as from here. */
function specProblems(refused: ApiError, dir: string): UserError {
  const problems = problemsIn(refused.problem.body);
  if (problems.length === 0) return refused;
  const untrusted = problems.every(({ code }) => code === 'untrusted');
  return new UserError(refused.problem.detail ?? refused.message, {
    where: `\n${problemText(problems, dir, (_, text) => text).trimEnd()}`,
    code: untrusted ? exitCodes.refused : exitCodes.error,
    cause: refused,
  });
}

const optional = decode.optional(decode.string);
const listed = decode.object({
  problems: decode.list(
    decode.object({
      severity: decode.string,
      code: decode.string,
      file: decode.string,
      line: decode.number,
      column: decode.number,
      message: decode.string,
      expected: optional,
      didYouMean: optional,
    }),
  ),
});

function problemsIn(body: unknown): readonly Problem[] {
  try {
    return listed(body, 'it').problems.map(({ severity, code, file, line, column, message, ...hint }) => ({
      severity: severity === 'warning' ? 'warning' : 'error',
      code,
      at: { file, line, column },
      message,
      hint,
    }));
  } catch {
    return [];
  }
}

/** Drift, by a server's newest observations. */
export async function fetchDrift(
  client: ApiClient,
  { estate, target }: ServerEstateOption & Pick<EstateOptions, 'target'>,
  context: Context,
): Promise<PlanReport> {
  const path = `/v1/drift${queryString({ estate, target })}`;
  const report = await client.request({ method: 'GET', path }, decodePlan);
  refuseUnknown(target, report, client.url);
  printHeldSources(report.bound.sources ?? [], context);
  return report;
}

/** A name that is none must not pass for a target in which nothing drifted. */
export function refuseUnknown(asked: readonly string[], { targets }: Pick<ServerPlan, 'targets'>, url: string): void {
  const unknown = asked.filter((name) => !targets.includes(name));
  if (unknown.length > 0)
    throw new UserError(`${url} has no target ${unknown.join(', ')} that you may see.`, {
      next: 'Remove --target to see all targets.',
    });
}
