import { byStrictness } from '../desired.ts';
import type { Document, EstateDoc, FirewallRuleDoc, GroupDoc, InstanceDoc, NetworkDoc, TargetDoc } from './document.ts';
import type { Located, Position } from './tree.ts';

export type ResourceDoc = NetworkDoc | GroupDoc | FirewallRuleDoc | InstanceDoc;

/** True of a document that stands for something on a cloud. */
export const isResource = (document: Located<Document>): document is Located<ResourceDoc> =>
  !['Estate', 'Target', 'Policy', 'Prices'].includes(document.value.kind);
type Mode = NonNullable<EstateDoc['spec']['mode']>;

interface EffectiveMode {
  readonly mode: Mode;
  /** The document and line that say so; absent where nobody says anything. */
  readonly decidedBy?: { readonly document: string; readonly at: Position };
}

/**
 * Of the modes set on a resource, its target and its estate the strictest wins, and `plan` holds where none is set. Of
 * two that say the same the nearer one is named. `resource`: its documents, the nearest first.
 */
export function effectiveMode(
  resource: readonly Located<ResourceDoc>[],
  target: Located<TargetDoc>,
  estate: Located<EstateDoc>,
): EffectiveMode {
  const said = [...resource, target, estate].flatMap((document) => {
    const { kind, metadata, spec } = document.value;
    if (spec.mode === undefined) return [];
    return [
      { mode: spec.mode, decidedBy: { document: `${kind} ${metadata.name}`, at: document.at(['spec', 'mode']) } },
    ];
  });
  return said.toSorted((a, b) => byStrictness(a.mode, b.mode))[0] ?? { mode: 'plan' };
}

type DeletionPolicy = NonNullable<ResourceDoc['spec']['deletionPolicy']>;

/** The object's fate when its document goes: as stated, else rules and objects with a lifetime go, and everything else stays. */
export function effectiveDeletionPolicy(
  { kind, spec }: ResourceDoc,
  { spec: estate }: Pick<EstateDoc, 'spec'>,
): DeletionPolicy {
  if (spec.deletionPolicy !== undefined) return spec.deletionPolicy;
  return kind === 'FirewallRule' || spec.ttl !== undefined || estate.ttl !== undefined ? 'delete' : 'retain';
}

type Ignore = ResourceDoc['spec']['ignore'][number];

/** The fields left alone on this day. An entry holds on its last day and no longer. Days compare as text. */
export const activeIgnores = ({ spec }: ResourceDoc, today: string): readonly Ignore[] =>
  spec.ignore.filter((entry) => holds(entry, today));

export const holds = (entry: Pick<Ignore, 'until'>, today: string): boolean => today <= entry.until;
