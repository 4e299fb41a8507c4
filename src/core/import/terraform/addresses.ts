import { slug } from '../names.ts';

/** A key of `count` or `for_each`. */
export type InstanceKey = string | number;

/** A step on the way to a module: `module.net["eu"]`. */
export interface ModuleStep {
  readonly name: string;
  readonly key?: InstanceKey;
}

/** The parts of a resource instance's address: https://developer.hashicorp.com/terraform/cli/state/resource-addressing */
export interface ResourceAddress {
  readonly modules: readonly ModuleStep[];
  readonly type: string;
  readonly name: string;
  readonly key?: InstanceKey;
}

/** `module.net["eu"].aws_subnet.app[0]`. */
export const instanceAddress = ({ modules, type, name, key }: ResourceAddress): string =>
  [...modules.map((step) => `module.${step.name}${index(step.key)}`), `${type}.${name}${index(key)}`].join('.');

/** The resource in the configuration, for all its instances: `module.net.aws_subnet.app`. */
export const resourceAddress = ({ modules, type, name }: ResourceAddress): string =>
  [...modules.map((step) => `module.${step.name}`), `${type}.${name}`].join('.');

function index(key: InstanceKey | undefined): string {
  if (key === undefined) return '';
  return typeof key === 'number' ? `[${key}]` : `["${hclText(key)}"]`;
}

/** As Terraform prints it: https://developer.hashicorp.com/terraform/language/expressions/strings#escape-sequences */
const hclText = (text: string): string =>
  text
    .replaceAll(/["\\]/g, '\\$&')
    .replaceAll(/[$%]\{/g, (template) => `${template[0]}${template}`)
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped);

const letters: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' };

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  const letter = letters[character] ?? (code.length > 4 ? `U${code.padStart(8, '0')}` : `u${code.padStart(4, '0')}`);
  return `\\${letter}`;
}

/** True for what Terraform takes as a name: https://developer.hashicorp.com/terraform/language/syntax/configuration#identifiers */
export const isIdentifier = (text: string): boolean => /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(text);

const step =
  /module\.([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\[(?:(\d{1,15})|("(?:[^"\\\p{Cc}]|\\(?:["\\nrt]|u[0-9a-fA-F]{4}|U00[0-9a-fA-F]{6}))*"))\])?(?:\.(?=m)|$)/uy;

/** `module.a["x"].module.b[0]` in steps; undefined for what is no address of a module. '' is the root. */
export function parseModule(text: string): readonly ModuleStep[] | undefined {
  const steps: ModuleStep[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < text.length) {
    const found = step.exec(text);
    if (found === null) return undefined;
    const [, name = '', ordinal, quoted] = found;
    steps.push({ name, ...keyOf(ordinal, quoted) });
  }
  return steps;
}

function keyOf(ordinal: string | undefined, quoted: string | undefined): Pick<ModuleStep, 'key'> {
  if (ordinal !== undefined) return { key: Number(ordinal) };
  if (quoted === undefined) return {};
  const text = quoted.slice(1, -1).replaceAll(/([$%])\1\{/g, '$1{');
  return { key: text.replaceAll(/\\(?:u(.{4})|U(.{8})|(.))/g, unescaped) };
}

function unescaped(_: string, short: string | undefined, long: string | undefined, mark: string): string {
  const code = short ?? long;
  if (code === undefined) return Object.entries(letters).find(([, letter]) => letter === mark)?.[0] ?? mark;
  const point = Number.parseInt(code, 16);
  return point > 0x10ffff ? '' : String.fromCodePoint(point);
}

/** A name for the document of an object, as people know it from its address. */
export interface GivenName {
  /** `module.net.aws_subnet.app["a"]` → `net-app-a`. */
  readonly name: string;
  /** The name without a number of `count`: instances with one stem may be replicas of one document. */
  readonly stem: string;
  /** The number of `count`. */
  readonly ordinal?: number;
}

export function givenName({ modules, name, key }: ResourceAddress): GivenName {
  const way = modules.flatMap((one) => [one.name, ...(one.key === undefined ? [] : [String(one.key)])]);
  const parts = [...way, name];
  if (key === undefined) return { name: fitting(parts), stem: fitting(parts) };
  const whole = fitting([...parts, String(key)]);
  return typeof key === 'number' ? { name: whole, stem: fitting(parts), ordinal: key } : { name: whole, stem: whole };
}

const longest = 63;

/** Without the first modules where the whole is too long for a name: its end tells it from the others. */
function fitting(parts: readonly string[]): string {
  const texts = parts.map(slug).filter((part) => part !== '');
  const start = texts.findIndex((_, at) => texts.slice(at).join('-').length <= longest);
  return texts.slice(start < 0 ? -1 : start).join('-');
}
