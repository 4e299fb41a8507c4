import type { CloudId, ScopeKey } from './resource.ts';
import type { Touch, TouchedBy } from './touch.ts';

/** The newest word on one object. */
export interface TouchedObject {
  readonly scope: ScopeKey;
  readonly object: CloudId;
  readonly by: TouchedBy;
  readonly requestId?: string;
}

/** Of each object that these name, who touched it last; of events at one moment the one that sorts last. One name for one object. */
export function touchedLast(touches: readonly Touch[]): readonly TouchedObject[] {
  const last = new Map<string, TouchedObject>();
  for (const { scope, event, at, actor, objects, requestId } of touches)
    for (const object of objects) {
      const key = `${scope} ${object}`;
      const before = last.get(key)?.by;
      const by = { ...actor, event, at };
      if (before !== undefined && !isLater(by, before)) continue;
      last.set(key, { scope, object, by, ...(requestId === undefined ? {} : { requestId }) });
    }
  return [...last.values()];
}

const isLater = (one: TouchedBy, other: TouchedBy): boolean =>
  one.at > other.at || (one.at === other.at && one.event > other.event);
