import { type ASTNode, Environment, EvaluationError, ParseError, TypeError as TypeFault } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { kindNames } from '../core/kinds/kinds.ts';
import type { ChangeView, Given, TrafficView } from '../core/policy/change.ts';
import type { Outcome } from '../core/policy/evaluate.ts';
import type { GivenImage } from '../core/policy/image.ts';
import { opens, type ResourceView } from '../core/policy/view.ts';
import type { Kind } from '../core/resource.ts';
import { messageOf } from '../core/text.ts';

/** A given resource in the values of the language. */
export type Prepared = object;

/**
 * Compiles an expression in CEL (https://cel.dev) about resources of these kinds. The library's own `matches` takes the engine of
 * JavaScript, whose time may grow without bound with the text; names and tags of clouds are anybody's, so RE2 does it here, in linear
 * time. See docs/adr/0020. Throws where the text is no expression over these kinds; `validate` has refused that.
 */
export function compileExpression(text: string, kinds: readonly Kind[]): (prepared: Prepared) => Outcome {
  const environment = environmentFor(kinds);
  const fault = faultIn(text, kinds);
  if (fault !== undefined) throw new Error(fault.message);
  const run = environment.parse(withOwnMatches(text, environment.parse(text).ast));
  return (prepared) => outcomeOf(run, prepared);
}

/** Once for all rules of a resource. */
export const prepare = ({ resource, change, image }: Given): Prepared => ({
  ...(change === undefined ? {} : changeOf(change)),
  ...(image === undefined || 'unread' in image ? {} : { image: imageOf(image) }),
  resource: new Resource(celOf(resource)),
  target: new Target({
    name: resource.target,
    cloud: resource.cloud,
    account: resource.account,
    region: resource.region,
  }),
});

/** The reason that a text is no expression. `offset`: in UTF-16 units from its beginning. */
export interface ExpressionFault {
  readonly message: string;
  readonly offset: number;
  /** Names that could have been meant. */
  readonly fields?: readonly string[];
}

/**
 * Undefined for a text that yields true or false for resources of these kinds, as far as its form shows. `ofChange`: the rule judges
 * changes.
 */
export function faultIn(text: string, kinds: readonly Kind[], ofChange = false): ExpressionFault | undefined {
  const environment = environmentFor(kinds);
  const { valid, type, error } = environment.check(text);
  if (!valid) return { message: reasonOf(error), offset: error?.range?.start ?? 0, fields: fieldsOf(kinds) };
  if (type !== 'bool' && type !== 'dyn') return { message: `it is of type ${type}, not true or false`, offset: 0 };
  if (namesIn(environment.parse(text).ast).includes('cel'))
    return { message: 'cel.bind is not allowed: a value may double with each use', offset: 0 };
  const form = formOf(text, kinds);
  if ((ofChange || form.subject !== 'resource') && !form.isShort)
    return {
      message: 'a rule about a change or an image cannot have a macro within another; ask for a port with includes',
      offset: 0,
    };
  return [...callsOf(environment.parse(text).ast)].flatMap((call) => patternFault(call) ?? [])[0];
}

/** The names after `resource.` that an expression over these kinds may have. */
export const fieldsOf = (kinds: readonly Kind[]): readonly string[] => [
  ...Object.keys(schemaOf(kinds)),
  ...(kinds.includes('firewall-rule') ? ['opens'] : []),
];

/** The values of the language: their class is their type. */
class Value {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
}
class Resource extends Value {}
class Target extends Value {}
class Action extends Value {}
class Plan extends Value {}
class Traffic extends Value {}
class Effect extends Value {}
class PortRange extends Value {}
class Disk extends Value {}
class Image extends Value {}

type Schema = Readonly<{ [field: string]: string }>;

/** Types of the fields in src/core/policy/view.ts, as docs/policies.md has them. */
const common: Schema = {
  kind: 'string',
  address: 'string',
  name: 'string',
  cloud: 'string',
  target: 'string',
  account: 'string',
  region: 'string',
  owner: 'string',
  labels: 'map<string, string>',
};

const own: { readonly [K in Kind]: Schema } = {
  network: { cidr: 'string', internet: 'bool', settings: 'map<string, dyn>' },
  subnet: { network: 'string', cidr: 'string', zone: 'string', internet: 'bool', settings: 'map<string, dyn>' },
  group: { network: 'string', description: 'string' },
  'firewall-rule': {
    network: 'string',
    direction: 'string',
    action: 'string',
    protocol: 'string',
    ports: 'list<PortRange>',
    icmp: 'list<string>',
    peers: 'list<string>',
    appliesTo: 'list<string>',
    priority: 'int',
    disabled: 'bool',
    log: 'bool',
    description: 'string',
    fromAnyone: 'bool',
    networkDefault: 'bool',
  },
  instance: {
    image: 'string',
    size: 'string',
    power: 'string',
    identity: 'string',
    publicIp: 'bool',
    network: 'string',
    subnet: 'string',
    zone: 'string',
    groups: 'list<string>',
    disk: 'Disk',
    settings: 'map<string, dyn>',
  },
};

/** An expression over several kinds may name the fields of each; a resource without the field fails it. */
const schemaOf = (kinds: readonly Kind[]): Schema =>
  Object.assign({}, common, ...kindNames.filter((kind) => kinds.includes(kind)).map((kind) => own[kind]));

const traffic: Schema = {
  from: 'list<string>',
  to: 'list<string>',
  fromAnyone: 'bool',
  toAnyone: 'bool',
  protocol: 'string',
  ports: 'list<PortRange>',
  machines: 'int',
  exposed: 'int',
  certain: 'bool',
};

const environments = new Map<string, Environment>();

/** No more parts, and no deeper, than a person reads. */
const limits = { maxAstNodes: 1000, maxDepth: 64, maxListElements: 500, maxMapEntries: 100, maxCallArguments: 16 };

function environmentFor(kinds: readonly Kind[]): Environment {
  const key = kindNames.filter((kind) => kinds.includes(kind)).join();
  const known = environments.get(key);
  if (known !== undefined) return known;
  const made = new Environment({ limits })
    .registerType('PortRange', { ctor: PortRange, fields: { from: 'int', to: 'int' } })
    .registerType('Disk', { ctor: Disk, fields: { size: 'int', type: 'string', encrypted: 'bool' } })
    .registerType('Resource', { ctor: Resource, fields: { ...schemaOf(kinds) } })
    .registerType('Target', {
      ctor: Target,
      fields: { name: 'string', cloud: 'string', account: 'string', region: 'string' },
    })
    .registerVariable('resource', 'Resource')
    .registerVariable('target', 'Target')
    .registerType('Action', {
      ctor: Action,
      fields: { verb: 'string', cause: 'string', fields: 'list<string>', effect: 'string', reason: 'string' },
    })
    .registerType('Plan', {
      ctor: Plan,
      fields: { creates: 'int', updates: 'int', replaces: 'int', deletes: 'int', adopts: 'int' },
    })
    .registerType('Traffic', { ctor: Traffic, fields: { ...traffic } })
    .registerType('Effect', { ctor: Effect, fields: { opens: 'list<Traffic>', cuts: 'list<Traffic>' } })
    .registerVariable('action', 'Action')
    .registerVariable('plan', 'Plan')
    .registerVariable('effect', 'Effect')
    .registerFunction('Traffic.includes(int): bool', (one: TrafficView, port: bigint) => includes(one, port))
    .registerFunction('Traffic.only(int): bool', (one: TrafficView, port: bigint) => isOnly(one, port))
    .registerFunction('Traffic.includes(int, string): bool', (one: TrafficView, port: bigint, protocol: string) =>
      includes(one, port, protocol),
    )
    .registerFunction(`string.${ownMatches}(string): bool`, (text: string, pattern: string) => matches(text, pattern));
  if (kinds.includes('instance'))
    made
      .registerType('Image', {
        ctor: Image,
        fields: { age: 'int', owner: 'string', verified: 'bool', deprecated: 'bool' },
      })
      .registerVariable('image', 'Image');
  if (kinds.includes('firewall-rule'))
    made
      .registerFunction('Resource.opens(int): bool', (rule: RuleValue, port: bigint) => opensTo(rule, port))
      .registerFunction('Resource.opens(int, string): bool', (rule: RuleValue, port: bigint, protocol: string) =>
        opensTo(rule, port, protocol),
      );
  environments.set(key, made);
  return made;
}

type RuleValue = Parameters<typeof opens>[0];

/** A resource of another kind has no answer, as for a field that it lacks. */
function opensTo(rule: RuleValue, port: bigint, protocol?: string): boolean {
  if (!('ports' in rule)) throw new EvaluationError('No such key: opens');
  return opens(rule, Number(port), protocol);
}

/** Whole numbers of CEL are bigints. */
function celOf(view: ResourceView): object {
  const { priority, ports, disk, ...rest } = { priority: undefined, ports: undefined, disk: undefined, ...view };
  return {
    ...rest,
    ...(priority === undefined ? {} : { priority: BigInt(priority) }),
    ...(ports === undefined ? {} : { ports: ports.map(rangeOf) }),
    ...(disk === undefined
      ? {}
      : { disk: new Disk({ ...disk, ...(disk.size === undefined ? {} : { size: BigInt(disk.size) }) }) }),
  };
}

const imageOf = ({ age, createdAt: _, ...rest }: Exclude<GivenImage, { readonly unread: string }>): Image =>
  new Image({ ...rest, ...(age === undefined ? {} : { age: BigInt(age) }) });

const changeOf = ({ action, plan, effect }: ChangeView): object => ({
  action: new Action(action),
  plan: new Plan(Object.fromEntries(Object.entries(plan).map(([verb, count]) => [verb, BigInt(count)]))),
  ...(effect === undefined
    ? {}
    : { effect: new Effect({ opens: effect.opens.map(trafficOf), cuts: effect.cuts.map(trafficOf) }) }),
});

const trafficOf = ({ ports, machines, exposed, ...rest }: TrafficView): Traffic =>
  new Traffic({ ...rest, ports: ports.map(rangeOf), machines: BigInt(machines), exposed: BigInt(exposed) });

const rangeOf = ({ from, to }: { readonly from: number; readonly to: number }): PortRange =>
  new PortRange({ from: BigInt(from), to: BigInt(to) });

/** True where all of the traffic is of this port. */
const isOnly = ({ ports }: TrafficView, port: bigint): boolean =>
  ports.length > 0 && ports.every(({ from, to }) => BigInt(from) === port && BigInt(to) === port);

/** True where the traffic is of this port. */
const includes = (one: TrafficView, port: bigint, protocol?: string): boolean =>
  (protocol === undefined || one.protocol === 'all' || one.protocol === protocol) &&
  one.ports.some(({ from, to }) => from <= port && port <= to);

function outcomeOf(run: (prepared: Prepared) => unknown, prepared: Prepared): Outcome {
  try {
    const answer = run(prepared);
    return typeof answer === 'boolean' ? answer : { failed: 'it is neither true nor false' };
  } catch (cause) {
    return { failed: reasonOf(cause) };
  }
}

/** Values of a cloud may be in it. */
const MOST_REASON = 200;

/** One line; the library adds an excerpt to its message. */
function reasonOf(cause: unknown): string {
  const isOfLibrary = cause instanceof ParseError || cause instanceof TypeFault || cause instanceof EvaluationError;
  const [line = ''] = (isOfLibrary ? cause.summary : messageOf(cause)).split('\n');
  const short = line.length > MOST_REASON ? `${line.slice(0, MOST_REASON)}…` : line;
  return short.charAt(0).toLowerCase() + short.slice(1);
}

/** The method that stands for `matches`: the library lets nobody replace its own. */
const ownMatches = 'matches_';

const patterns = new Map<string, RE2JS>();
const MOST_PATTERNS = 1000;

/** As CEL says: true where the pattern matches some part of the text. */
function matches(text: string, pattern: string): boolean {
  const known = patterns.get(pattern);
  if (known !== undefined) return known.test(text);
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  const made = RE2JS.compile(pattern);
  patterns.set(pattern, made);
  return made.test(text);
}

type Call = Extract<ASTNode, { readonly op: 'rcall' }>;

function* callsOf(node: unknown): Iterable<Call> {
  if (Array.isArray(node)) {
    for (const one of node) yield* callsOf(one);
    return;
  }
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return;
  const one = node as ASTNode; // why: whatever has an operator and arguments here is a node
  if (one.op === 'rcall' && one.args[0] === 'matches') yield one;
  yield* callsOf(one.args);
}

/** Methods that evaluate their argument for each entry of a list: https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros */
const macros: ReadonlySet<unknown> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** Variables that only a change has: see src/core/policy/change.ts. */
const ofChange: ReadonlySet<unknown> = new Set(['action', 'plan', 'effect']);

/** The subject of an expression: the facts without which nobody can evaluate it. A change has those of its image, too. */
export type ExpressionSubject = 'resource' | 'image' | 'change';

/**
 * - `isShort`: no macro is within another. Then the time of the expression grows with its length and with the lists of its resource, and
 *   no faster.
 * - `isAboutImage`, `isAboutEffect`: it names the image of a machine, or the effect of a change on traffic, whatever else it names.
 */
export interface ExpressionForm {
  readonly subject: ExpressionSubject;
  readonly isShort: boolean;
  readonly isAboutImage: boolean;
  readonly isAboutEffect: boolean;
}

export function formOf(text: string, kinds: readonly Kind[]): ExpressionForm {
  const { ast } = environmentFor(kinds).parse(text);
  const names = new Set(namesIn(ast));
  const isAboutImage = names.has('image');
  const ofResource = isAboutImage ? 'image' : 'resource';
  return {
    subject: [...names].some((name) => ofChange.has(name)) ? 'change' : ofResource,
    isShort: depthOf(ast) <= 1,
    ...{ isAboutImage, isAboutEffect: names.has('effect') },
  };
}

function namesIn(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node.flatMap(namesIn);
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return [];
  return node.op === 'id' ? [node.args] : namesIn(node.args);
}

function depthOf(node: unknown): number {
  if (Array.isArray(node)) return Math.max(0, ...node.map(depthOf));
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return 0;
  const { args } = node;
  const isMacro = node.op === 'rcall' && Array.isArray(args) && macros.has(args[0]);
  return depthOf(args) + (isMacro ? 1 : 0);
}

/** A pattern that is written out is checked with the expression. */
function patternFault({ args: [, , given] }: Call): ExpressionFault | undefined {
  const [pattern] = given;
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return undefined;
  try {
    matches('', pattern.args);
    return undefined;
  } catch (cause) {
    return { message: reasonOf(cause), offset: pattern.start };
  }
}

/** The same text with the name of our own method. Between what it is called on and its name are only dots, brackets, blanks and comments. */
function withOwnMatches(text: string, ast: ASTNode): string {
  const ends = [...callsOf(ast)].map(({ args: [, on] }) => {
    const [before] = /^(?:[\s)]|\/\/[^\n]*(?:\n|$))*\.(?:\s|\/\/[^\n]*(?:\n|$))*matches/.exec(text.slice(on.end)) ?? [];
    if (before === undefined) throw new Error('a call of `matches` in no form that is known');
    return on.end + before.length;
  });
  return ends
    .toSorted((a, b) => b - a)
    .reduce((all, end) => all.slice(0, end - 'matches'.length) + ownMatches + all.slice(end), text);
}
