import { formatPort } from '../port-set.ts';
import type { Kind } from '../resource.ts';
import { ttlText } from '../ttl.ts';
import { instanceOn } from './document.ts';
import type { ResourceDoc } from './effective-terms.ts';
import { type Layer, layerOf } from './overlay.ts';
import type { Located, Path, Position } from './tree.ts';

/** A field as it holds for one resource, named as people write it: `size`, `disk.type`, `labels.tier`. */
export interface FieldOrigin {
  readonly field: string;
  readonly value: unknown;
  readonly layer: Layer | 'default';
  /** The place where its value was written; absent where nobody wrote one. */
  readonly at?: Position;
}

/** One resource that a document makes, on one target. `name`: the end of its address. */
export interface Asked {
  readonly kind: Kind;
  readonly name: string;
  readonly target: string;
  /** True of a group whose own document states its labels: then it has none of its network. */
  readonly ownLabels?: boolean;
}

/** Each field of a document that makes this resource what it is, and which line of which layer decided. */
export function fieldOrigins(document: Located<ResourceDoc>, asked: Asked): readonly FieldOrigin[] {
  const { value } = document;
  const labels = origins(document, value.metadata.labels, { field: 'labels', places: [['metadata', 'labels']] });
  const spec = (given: object): readonly FieldOrigin[] => origins(document, given, { field: '', places: [['spec']] });
  const of = (map: Readonly<Record<string, string>> | undefined, field: string, place: Path): readonly FieldOrigin[] =>
    origins(document, map?.[asked.target], { field, places: [[...place, asked.target]] });
  switch (value.kind) {
    case 'FirewallRule':
      return spec({ ...value.spec, ports: value.spec.ports?.map(formatPort) });
    case 'Instance': {
      const places = [['spec', 'on', asked.target], ['spec']];
      const { names, ...own } = instanceOn(value, asked.target) ?? {};
      return [
        ...of(names, `names.${asked.target}`, ['spec', 'names']),
        ...origins(document, own, { field: '', places }),
        ...labels,
      ];
    }
    case 'Group': {
      const { names, ...own } = value.spec;
      return [
        ...of(value.metadata.adopt, `adopt.${asked.target}`, ['metadata', 'adopt']),
        ...of(names, `names.${asked.target}`, ['spec', 'names']),
        ...spec(own),
        ...labels,
      ];
    }
    case 'Network': {
      const { subnets, groups, internet, ...own } = value.spec;
      const at = subnets.findIndex(({ name }) => asked.name === `${value.metadata.name}.${name}`);
      const places = [['spec', 'subnets', at]];
      if (asked.kind === 'subnet')
        return [...origins(document, subnets[at], { field: '', places }), ...spec({ internet }), ...labels];
      if (asked.kind === 'network') return [...spec({ internet, ...own }), ...labels];
      const group = groups.findIndex(({ name }) => asked.name === `${value.metadata.name}.${name}`);
      const { adopt } = groups[group] ?? {};
      const adopted = origins(document, adopt, { field: 'adopt', places: [['spec', 'groups', group, 'adopt']] });
      return [...adopted, ...spec({ default: own.default }), ...(asked.ownLabels ? [] : labels)];
    }
  }
}

interface Place {
  readonly field: string;
  /** The places that may hold the value; the first that does counts. */
  readonly places: readonly Path[];
}

/** Maps are told key by key, lists whole; a default that is an empty list says nothing. */
function origins(document: Located<ResourceDoc>, value: unknown, { field, places }: Place): readonly FieldOrigin[] {
  if (value === undefined) return [];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      origins(document, inner, {
        field: field === '' ? key : `${field}.${key}`,
        places: places.map((path) => [...path, key]),
      }),
    );
  }
  const written = places.find((path) => document.wrote(path));
  if (written === undefined)
    return Array.isArray(value) && value.length === 0 ? [] : [{ field, value, layer: 'default' }];
  const at = document.at(written);
  const shown = field === 'ttl' && typeof value === 'number' ? ttlText(value) : value;
  return [{ field, value: shown, layer: layerOf(at.file), at }];
}
