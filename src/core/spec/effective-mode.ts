import { byStrictness } from '../mode.ts';
import type { EstateDoc, FirewallRuleDoc, InstanceDoc, NetworkDoc, TargetDoc } from './document.ts';
import type { Located } from './located.ts';
import type { Position } from './position.ts';

export type ResourceDoc = NetworkDoc | FirewallRuleDoc | InstanceDoc;
export type Mode = NonNullable<EstateDoc['spec']['mode']>;

export interface EffectiveMode {
  readonly mode: Mode;
  /** The document and line that say so; absent where nobody says anything. */
  readonly decidedBy?: { readonly document: string; readonly at: Position };
}

/**
 * Of the modes set on a resource, its target and its estate the strictest wins, and `plan` holds where none is set. Of
 * two that say the same the nearer one is named.
 */
export function effectiveMode(
  resource: Located<ResourceDoc>,
  target: Located<TargetDoc>,
  estate: Located<EstateDoc>,
): EffectiveMode {
  const said = [resource, target, estate].flatMap((document) => {
    const { kind, metadata, spec } = document.value;
    if (spec.mode === undefined) return [];
    return [
      { mode: spec.mode, decidedBy: { document: `${kind} ${metadata.name}`, at: document.at(['spec', 'mode']) } },
    ];
  });
  return said.toSorted((a, b) => byStrictness(a.mode, b.mode))[0] ?? { mode: 'plan' };
}
