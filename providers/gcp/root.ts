import { protobuf } from 'google-gax';
import { isTurnOver, nextTurn } from '../shared/turns.ts';
import { type Definition, definitions } from './definitions.ts';

export type Root = protobuf.Root;

/** The types of these definitions, made in turns of the loop: one after another they are added, and then resolved. */
export async function rootOf(all: Definition = definitions): Promise<Root> {
  const root = new protobuf.Root();
  await add(root, all.nested);
  await resolve(root);
  root.resolveAll();
  return root;
}

/** Creates a namespace without its members, which follow one by one. */
async function add(parent: protobuf.NamespaceBase, nested: Definition['nested'] = {}): Promise<void> {
  for (const [name, definition] of Object.entries(nested)) {
    const isNamespace = definition.nested !== undefined && !definition.fields && !definition.methods;
    parent.addJSON({ [name]: isNamespace ? { ...definition, nested: {} } : definition });
    if (isTurnOver()) await nextTurn();
    const made = parent.get(name);
    if (isNamespace && made instanceof protobuf.Namespace) await add(made, definition.nested);
  }
}

async function resolve({ nestedArray }: protobuf.NamespaceBase): Promise<void> {
  for (const each of nestedArray) {
    if (each instanceof protobuf.Type || each instanceof protobuf.Service) each.resolveAll();
    else if (each instanceof protobuf.Namespace) await resolve(each);
    if (isTurnOver()) await nextTurn();
  }
}
