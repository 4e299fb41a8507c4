import type { InstanceDoc } from './document.ts';

type Spec = InstanceDoc['spec'];
type Needed = 'subnet' | 'image' | 'size';

/** An instance as one target gets it. */
export type InstanceOn = Omit<Spec, Needed | 'on'> & Readonly<Record<Needed, string>>;

/**
 * The document's fields with those of `on` for this target. `disk` and `access` are owned per key and merge so, lists
 * are replaced. Undefined where subnet, image or size is said in neither; `validate` has refused that.
 */
export function instanceOn({ spec }: InstanceDoc, target: string): InstanceOn | undefined {
  const own = Object.hasOwn(spec.on, target) ? spec.on[target] : undefined;
  const { on: _, disk, access, ...rest } = spec;
  const merged = {
    ...rest,
    ...said(own ?? {}),
    ...(disk || own?.disk ? { disk: { ...disk, ...said(own?.disk ?? {}) } } : {}),
    ...(access || own?.access ? { access: { ...access, ...said(own?.access ?? {}) } } : {}),
  };
  const { subnet, image, size } = merged;
  return subnet && image && size ? { ...merged, subnet, image, size } : undefined;
}

function said<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // why: what is left has no undefined value, which the type of fromEntries cannot say.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
