import { type Import, importsOf } from './imports.ts';
import { EXCEPTIONS, type Layer, layerOf } from './layers.ts';
import type { ParsedFile } from './project.ts';

/** Every import of `file` that its layer's row does not allow, as a sentence; files without a layer are one themselves. */
export function trespassesOf(file: ParsedFile): readonly string[] {
  const layer = layerOf(file.path);
  if (layer === undefined) return [`${file.path} lies in no layer of test/support/source/layers.ts`];
  return importsOf(file)
    .map((one) => ({ one, wrong: wrongWith(one, layer, file.path) }))
    .filter(({ wrong }) => wrong !== undefined)
    .map(({ one, wrong }) => `${one.place} imports ${one.specifier}: ${wrong}`);
}

function wrongWith({ specifier, file }: Import, layer: Layer, from: string): string | undefined {
  if (specifier === '<computed>') return 'nobody can see what this loads';
  if (file !== undefined) return wrongWithFile(file, layer, from);
  if (specifier.startsWith('node:')) return layer.node ? undefined : `${layer.name} may not use Node's modules`;
  const allowed = layer.packages.some((name) => isOf(specifier, name));
  return allowed ? undefined : `${layer.name} may not use that package`;
}

function isOf(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(name.endsWith('/') ? name : `${name}/`);
}

function wrongWithFile(file: string, layer: Layer, from: string): string | undefined {
  if (!/\.(ts|mjs|json)$/.test(file)) return 'relative imports end in .ts';
  const other = layerOf(file);
  if (other === undefined) return file.endsWith('.json') ? undefined : 'that file lies in no layer';
  if (other === layer || layer.layers.includes(other.name)) return undefined;
  if (EXCEPTIONS.some((exception) => exception.from === from && exception.layer === other.name)) return undefined;
  return `${layer.name} may not import ${other.name}`;
}
