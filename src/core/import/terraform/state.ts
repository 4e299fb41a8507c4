import { type InstanceKey, isIdentifier, type ModuleStep, parseModule, type ResourceAddress } from './addresses.ts';
import { type JsonReader, readJson, type Scalar } from './json-reader.ts';
import {
  type ListAttribute,
  listAttributes,
  resourceTypeOf,
  type TextAttribute,
  textAttributes,
} from './resource-types.ts';

/** One object of a state by its address. Nothing else of the state is kept. */
export interface StateInstance extends ResourceAddress {
  /** None for a type that has no kind here. */
  readonly attributes: StateAttributes;
  /** Terraform deletes it at its next apply, as another one took its place. */
  readonly isDeposed: boolean;
}

/** The attributes by which an object is found on its cloud. Numbers and truth values are texts. */
export interface StateAttributes {
  readonly text: Partial<Readonly<Record<TextAttribute, string>>>;
  readonly lists: Partial<Readonly<Record<ListAttribute, readonly string[]>>>;
}

const noAttributes: StateAttributes = { text: {}, lists: {} };

/** A text that is no state to read. `line`: where there is a place. */
export interface StateProblem {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly next: string;
}

export type ReadState = { readonly instances: readonly StateInstance[] } | { readonly problem: StateProblem };

/** So deep does no provider nest its attributes. */
const mostDepth = 128;
export const mostInstances = 200_000;

/**
 * The managed resources of a state, from its file (version 4) or from `show -json` of Terraform and OpenTofu. Data sources are left
 * out. Pure; it reads addresses and ids, and skips all other values.
 *
 * - https://developer.hashicorp.com/terraform/internals/json-format#state-representation
 * - https://opentofu.org/docs/language/state/encryption/
 */
export function readState(text: string): ReadState {
  if (text.trim() === '')
    return { problem: { message: 'It is empty.', next: 'Write it anew: terraform state pull > terraform.tfstate' } };
  if (text.startsWith('PK')) return { problem: aPlan };
  const read = readJson(text.replace(/^\uFEFF/, ' '), mostDepth, readDocument);
  if ('problem' in read) {
    const { message, line, column } = read.problem;
    return { problem: { message: `It cannot be read: ${message}.`, line, column, next: writeAnew } };
  }
  const problem = wrongForm(read.value);
  return problem === undefined ? { instances: read.value.instances } : { problem };
}

const writeAnew =
  'Write it anew, with `terraform state pull` or `terraform show -json`; for OpenTofu with `tofu state pull` or `tofu show -json`.';

/** The members of the outermost object. */
interface Document {
  readonly members: ReadonlySet<string>;
  readonly version: Scalar | undefined;
  readonly formatVersion: Scalar | undefined;
  readonly instances: readonly StateInstance[];
}

function readDocument(reader: JsonReader): Document {
  const members = new Set<string>();
  const instances: StateInstance[] = [];
  const add = (more: readonly StateInstance[]): void => {
    for (const one of more) push(one, instances, reader);
  };
  let [version, formatVersion]: (Scalar | undefined)[] = [];
  reader.object((key) => {
    members.add(key);
    if (key === 'version') version = reader.scalar();
    else if (key === 'format_version') formatVersion = reader.scalar();
    else if (key === 'resources' && reader.peek() === '[') reader.list(() => add(readResource(reader)));
    else if (key === 'values' && reader.peek() === '{')
      reader.object((part) => (part === 'root_module' ? readModule(reader, add) : reader.skip()));
    else reader.skip();
  });
  return { members, version, formatVersion, instances };
}

function push<T>(one: T, all: T[], reader: JsonReader): void {
  if (all.length === mostInstances) reader.fail(`it has more than ${mostInstances} resource instances`);
  all.push(one);
}

const aPlan: StateProblem = {
  message: 'It is a plan, and no state.',
  next: 'Show the state instead: `terraform show -json` without the name of a plan.',
};

/**
 *   members                                  | it is
 *   -----------------------------------------+----------------------------------------
 *   encrypted_data, encryption_version       | a state that OpenTofu encrypted: refused
 *   planned_values, resource_changes         | a plan: refused
 *   version 4                                | a state
 *   another version                          | refused
 *   format_version 0.x or 1.x                | show -json
 *   none of these                            | refused
 */
function wrongForm({ members, version, formatVersion }: Document): StateProblem | undefined {
  if (members.has('encrypted_data') || members.has('encryption_version'))
    return {
      message: 'OpenTofu has encrypted it.',
      next: 'Let OpenTofu decrypt it: tofu show -json | setpoint import --from-terraform -',
    };
  if (members.has('planned_values') || members.has('resource_changes')) return aPlan;
  if (version === 4) return undefined;
  if (typeof version === 'number')
    return {
      message: `It has version ${version}, and Setpoint reads version 4.`,
      next:
        version < 4
          ? 'Terraform 0.12 and later write version 4: terraform state pull > terraform.tfstate'
          : 'Pass it in the form of other tools: terraform show -json | setpoint import --from-terraform -',
    };
  if (typeof formatVersion === 'string' && /^[01]\.\d+$/.test(formatVersion)) return undefined;
  if (typeof formatVersion === 'string')
    return {
      message: 'It has a format_version that Setpoint does not know. Setpoint reads 1.x and 0.x.',
      next: 'Pass the state file itself: terraform state pull | setpoint import --from-terraform -',
    };
  return { message: 'It is JSON, and no state of Terraform or OpenTofu.', next: writeAnew };
}

/** The instances of one resource of a state file: the keys of its object stand in any order. */
function readResource(reader: JsonReader): readonly StateInstance[] {
  let [mode, type, name, module]: (Scalar | undefined)[] = [];
  const found: Found[] = [];
  reader.object((key) => {
    if (key === 'mode') mode = reader.scalar();
    else if (key === 'type') type = reader.scalar();
    else if (key === 'name') name = reader.scalar();
    else if (key === 'module') module = reader.scalar();
    else if (key === 'instances' && reader.peek() === '[') reader.list(() => push(readInstance(reader), found, reader));
    else reader.skip();
  });
  if (mode !== 'managed') return [];
  const modules = modulesOf(module ?? '', reader);
  return found.map((one) => instanceOf({ modules, type, name, found: one }, reader));
}

/** An instance before its resource is known. */
interface Found {
  key: Scalar | undefined;
  isDeposed: boolean;
  attributes: StateAttributes;
}

function readInstance(reader: JsonReader): Found {
  const found: Found = { key: undefined, isDeposed: false, attributes: noAttributes };
  reader.object((key) => {
    if (key === 'index_key') found.key = reader.scalar();
    else if (key === 'deposed') found.isDeposed = (reader.scalar() ?? '') !== '';
    // why: `attributes_flat` is what an upgrade from version 3 leaves until the next apply
    else if (key === 'attributes' || key === 'attributes_flat') found.attributes = readAttributes(reader);
    else reader.skip();
  });
  return found;
}

/** A module of `show -json`, with the modules in it. Each of its resources is one instance. */
function readModule(reader: JsonReader, add: (more: readonly StateInstance[]) => void): void {
  let address: Scalar | undefined;
  const resources: (Omit<Parts, 'modules'> & { readonly mode: Scalar | undefined })[] = [];
  reader.object((key) => {
    if (key === 'address') address = reader.scalar();
    else if (key === 'resources' && reader.peek() === '[')
      reader.list(() => push(readShown(reader), resources, reader));
    else if (key === 'child_modules' && reader.peek() === '[') reader.list(() => readModule(reader, add));
    else reader.skip();
  });
  const modules = modulesOf(address ?? '', reader);
  const managed = resources.filter(({ mode }) => mode === 'managed');
  add(managed.map((one) => instanceOf({ ...one, modules }, reader)));
}

function readShown(reader: JsonReader): Omit<Parts, 'modules'> & { readonly mode: Scalar | undefined } {
  let [mode, type, name]: (Scalar | undefined)[] = [];
  const found: Found = { key: undefined, isDeposed: false, attributes: noAttributes };
  reader.object((key) => {
    if (key === 'mode') mode = reader.scalar();
    else if (key === 'type') type = reader.scalar();
    else if (key === 'name') name = reader.scalar();
    else if (key === 'index') found.key = reader.scalar();
    else if (key === 'deposed_key') found.isDeposed = (reader.scalar() ?? '') !== '';
    else if (key === 'values') found.attributes = readAttributes(reader);
    else reader.skip();
  });
  return { mode, type, name, found };
}

function readAttributes(reader: JsonReader): StateAttributes {
  if (reader.peek() !== '{') {
    reader.skip();
    return noAttributes;
  }
  const text: Partial<Record<TextAttribute, string>> = {};
  const lists: Partial<Record<ListAttribute, readonly string[]>> = {};
  reader.object((key) => {
    const name = textAttributes.find((one) => one === key);
    const list = listAttributes.find((one) => one === key);
    if (name !== undefined) {
      const value = reader.scalar() ?? '';
      if (value !== '') text[name] = String(value);
    } else if (list !== undefined && reader.peek() === '[') lists[list] = readTexts(reader);
    else reader.skip();
  });
  return { text, lists };
}

function readTexts(reader: JsonReader): readonly string[] {
  const texts: string[] = [];
  reader.list(() => {
    const value = reader.scalar();
    if (typeof value === 'string') push(value, texts, reader);
  });
  return texts;
}

interface Parts {
  readonly modules: readonly ModuleStep[];
  readonly type: Scalar | undefined;
  readonly name: Scalar | undefined;
  readonly found: Found;
}

function instanceOf({ modules, type, name, found }: Parts, reader: JsonReader): StateInstance {
  if (typeof type !== 'string' || !/^[a-z]\w*$/i.test(type))
    return reader.fail('the resource before has no valid type');
  if (typeof name !== 'string' || !isIdentifier(name)) return reader.fail('the resource before has no valid name');
  const key = instanceKey(found.key, reader);
  // why: the id of another type may be its secret, as of a random_string
  const attributes = resourceTypeOf(type) === undefined ? noAttributes : found.attributes;
  return { modules, type, name, ...(key === undefined ? {} : { key }), attributes, isDeposed: found.isDeposed };
}

function instanceKey(key: Scalar | undefined, reader: JsonReader): InstanceKey | undefined {
  if (key === undefined || key === null) return undefined;
  if (typeof key === 'string' || (typeof key === 'number' && Number.isSafeInteger(key) && key >= 0)) return key;
  return reader.fail('the resource before has an index that is neither a text nor a whole number');
}

function modulesOf(address: Scalar, reader: JsonReader): readonly ModuleStep[] {
  const steps = typeof address === 'string' ? parseModule(address) : undefined;
  return steps ?? reader.fail('the resource or module before has no valid module address');
}
