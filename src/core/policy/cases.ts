import { z } from 'zod';
import { flag, freeText, name, whole } from '../documents/fields.ts';
import type { Located, Position } from '../documents/tree.ts';
import { kindNames } from '../kinds/kinds.ts';
import { isAnyone } from '../kinds/rules.ts';
import { parsePorts } from '../port-set.ts';
import { clouds } from '../resource.ts';
import type { Given } from './change.ts';
import { type Found, type KindRule, rulesAbout } from './evaluate.ts';
import { effectOf, type PolicyRules } from './rules.ts';
import type { ResourceView } from './view.ts';

const word = () => z.string({ error: 'text' }).max(512, { error: 'at most 512 characters' });
const words = () => z.array(word(), { error: 'a list of texts' });
const map = <T extends z.ZodType>(value: T) => z.record(word(), value, { error: 'a map' });

const port = z
  .union(
    [
      whole(0, 65535),
      word(),
      z.strictObject({ from: whole(0, 65535), to: whole(0, 65535) }, { error: '{ from, to }' }),
    ],
    { error: 'a port, a range such as 8000-8100, or { from, to }' },
  )
  .transform((given) => (typeof given === 'object' ? `${given.from}-${given.to}` : given))
  .refine((given) => parsePorts([given]) !== undefined, { error: 'a port, or a range such as 8000-8100' });

/** The fields of a view, as a person states them. Fields that every resource of the kind has may be left out. */
const resource = z.strictObject(
  {
    kind: z.enum(kindNames, { error: `a kind: ${kindNames.join(', ')}` }),
    address: word().optional(),
    name: word().optional(),
    cloud: z.enum(clouds).optional(),
    target: word().optional(),
    account: word().optional(),
    region: word().optional(),
    owner: word().optional(),
    labels: map(word()).optional(),
    network: word().optional(),
    cidr: word().optional(),
    zone: word().optional(),
    internet: flag().optional(),
    description: word().optional(),
    direction: z.enum(['ingress', 'egress']).optional(),
    action: z.enum(['allow', 'deny']).optional(),
    protocol: word().optional(),
    ports: z.array(port, { error: 'a list of ports' }).optional(),
    icmp: words().optional(),
    peers: words().optional(),
    appliesTo: words().optional(),
    priority: whole(0, 65_535).optional(),
    disabled: flag().optional(),
    log: flag().optional(),
    fromAnyone: flag().optional(),
    networkDefault: flag().optional(),
    image: word().optional(),
    size: word().optional(),
    power: z.enum(['running', 'stopped']).optional(),
    identity: word().optional(),
    publicIp: flag().optional(),
    subnet: word().optional(),
    groups: words().optional(),
    disk: z
      .strictObject(
        { size: whole(1, 65_536).optional(), type: word().optional(), encrypted: flag().optional() },
        { error: '{ size, type, encrypted }' },
      )
      .optional(),
    settings: map(z.unknown()).optional(),
  },
  { error: 'fields of a resource' },
);

/** Left out: nobody knows the facts of the image. */
const image = z
  .strictObject(
    {
      age: whole(0, 100_000).optional(),
      owner: word().default('test'),
      verified: flag().default(false),
      deprecated: flag().default(false),
    },
    { error: '{ age, owner, verified, deprecated }' },
  )
  .optional();

const action = z
  .strictObject(
    {
      verb: z.enum(['create', 'update', 'replace', 'delete', 'adopt']),
      cause: z.enum(['drift', 'rollout', 'unknown']).default('rollout'),
      fields: words().default([]),
      effect: word().default(''),
      reason: word().default(''),
    },
    { error: '{ verb, cause, fields, effect, reason }' },
  )
  .default({ verb: 'create', cause: 'rollout', fields: [], effect: '', reason: '' });

const count = () => whole(0, 1_000_000).default(0);
const plan = z
  .strictObject(
    { creates: count(), updates: count(), replaces: count(), deletes: count(), adopts: count() },
    { error: '{ creates, updates, replaces, deletes, adopts }' },
  )
  .default({ creates: 0, updates: 0, replaces: 0, deletes: 0, adopts: 0 });

const traffic = z.strictObject(
  {
    from: words().default([]),
    to: words().default([]),
    protocol: word().default('tcp'),
    ports: z
      .array(port, { error: 'a list of ports' })
      .transform((given) => parsePorts(given) ?? [])
      .default([]),
    machines: count(),
    exposed: count(),
    certain: flag().default(true),
  },
  { error: '{ from, to, protocol, ports, machines, exposed, certain }' },
);
const traffics = () =>
  z
    .array(traffic, { error: 'a list of traffic' })
    .transform((all) =>
      all.map((one) => ({ ...one, fromAnyone: one.from.some(isAnyone), toAnyone: one.to.some(isAnyone) })),
    )
    .default([]);
const effect = z
  .strictObject({ opens: traffics(), cuts: traffics() }, { error: '{ opens, cuts }' })
  .default({ opens: [], cuts: [] });

/** One document of a file of cases: see docs/policies.md. */
export const casesSchema = z.strictObject(
  {
    policy: name(),
    cases: z
      .array(
        z.strictObject(
          {
            name: freeText(256),
            rule: name().optional(),
            resource,
            image,
            action,
            plan,
            effect,
            expect: z.enum(['deny', 'approval', 'warn', 'allow']),
          },
          { error: '{ name, resource, expect }' },
        ),
        { error: 'a list of { name, resource, expect }' },
      )
      .min(1, { error: 'at least one case' }),
  },
  { error: 'a map with policy and cases' },
);

export type Cases = z.output<typeof casesSchema>;
type Case = Cases['cases'][number];
type Effect = Case['expect'];

/** `answers`: the rules that are true of the resource, or have no answer for it. */
export interface CaseResult {
  readonly policy: string;
  readonly name: string;
  readonly at: Position;
  readonly expected: Effect;
  readonly got: Effect | 'nothing';
  readonly passed: boolean;
  readonly answers: readonly string[];
}

/** One case to evaluate. `unable`: why its rules cannot be. */
export interface Trial extends Pick<CaseResult, 'policy' | 'name' | 'at' | 'expected'> {
  readonly rules: readonly KindRule[];
  readonly given: Given;
  readonly unable?: string;
}

/** Targets and exemptions do not count. */
export function trialsOf(cases: Located<Cases>, policies: readonly PolicyRules[]): readonly Trial[] {
  const policy = policies.find(({ name }) => name === cases.value.policy);
  return cases.value.cases.map((one, index) => {
    const given = {
      resource: viewOf(one.resource),
      ...(one.image === undefined ? {} : { image: one.image }),
      change: { action: one.action, plan: one.plan, effect: one.effect },
    };
    const about = { policy: cases.value.policy, name: one.name, at: cases.at(['cases', index]), expected: one.expect };
    return { ...about, given, ...rulesFor(one, policy) };
  });
}

function rulesFor({ resource: { kind }, rule: only }: Case, policy: PolicyRules | undefined) {
  if (policy === undefined) return { rules: [], unable: 'there is no such policy' };
  if (!policy.kinds.includes(kind)) return { rules: [], unable: `the policy is not about the kind ${kind}` };
  const rules = rulesAbout(kind, [policy]).filter(({ rule }) => only === undefined || rule.name === only);
  return rules.length === 0 ? { rules, unable: `the policy has no rule ${only}` } : { rules };
}

/**
 * The outcome of a case: deny where a rule that denies is true or has no answer, else approval, else warn, else allow. `nothing`: the specs have no such
 * policy or rule, or it is not about this kind.
 */
export function resultOf({ rules, unable, given: _, ...about }: Trial, outcomes: readonly Found[]): CaseResult {
  if (unable !== undefined) return { ...about, got: 'nothing', passed: false, answers: [unable] };
  const found = outcomes.flatMap(({ rule: at, outcome }) => {
    const rule = rules[at]?.rule;
    if (rule === undefined) return [];
    const why = outcome === true ? rule.message : `no answer: ${outcome.failed}`;
    return [{ effect: effectOf(rule), text: `${rule.name}: ${why}` }];
  });
  const strictest = (['deny', 'approval', 'warn'] as const).find((one) => found.some(({ effect }) => effect === one));
  const got = strictest ?? 'allow';
  return { ...about, got, passed: got === about.expected, answers: found.map(({ text }) => text) };
}

/** With the fields that every resource of its kind has. */
function viewOf({ ports, ...given }: Case['resource']): ResourceView {
  const { kind, name: called = 'test' } = given;
  const place = { address: `test/${kind}/${called}`, target: 'test', account: 'test', region: 'test' };
  const base = { ...place, name: called, cloud: 'memory', labels: {} } as const;
  if (kind === 'group') return { ...base, ...given };
  if (kind === 'instance')
    return { ...base, publicIp: false, power: 'running', groups: [], disk: {}, settings: {}, ...given };
  if (kind !== 'firewall-rule') return { ...base, settings: {}, ...given };
  const peers = given.peers ?? [];
  const direction = given.direction ?? 'ingress';
  const usual = { network: 'test', action: 'allow', protocol: 'tcp', appliesTo: [], description: '' } as const;
  return {
    ...{ ...base, ...usual, disabled: false, log: false, networkDefault: false },
    fromAnyone: direction === 'ingress' && peers.some(isAnyone),
    ...given,
    ...{ kind, direction, peers, ports: parsePorts(ports ?? []) ?? [] },
  };
}
