import type { FieldChange } from '../../src/core/diff.ts';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Mark, Observed } from '../../src/core/observed.ts';
import type { CloudId, Labels } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import { done } from '../shared/answer.ts';
import { chunks } from '../shared/chunks.ts';
import { unsupportedOn } from '../shared/unsupported.ts';
import { sendBisecting } from './bisect.ts';
import { groupBy } from './group-by.ts';
import { markTags, namesParts, partsMarked, tagKey } from './marks.ts';
import { most } from './rate-limits.ts';
import type { Scope } from './scope.ts';
import { ec2 } from './sdk.ts';
import { tagList } from './tags.ts';

/** The tags of an update: a resource, its new labels and, when it is adopted or renamed, its new mark. */
export interface Retagged {
  readonly observed: Observed;
  readonly changes: readonly FieldChange[];
  readonly mark?: Mark;
}

/**
 * Writes marks and labels, one answer per item. Objects that get or lose equal tags share a call. Parts are marked with
 * their resource or before it, so that a resource with its mark has parts with theirs; a new mark names the resource
 * itself, so the ordinal of a batched launch goes.
 */
export async function retag(items: readonly Retagged[], scope: Scope, call: Call): Promise<readonly Result<void>[]> {
  const edits = items.flatMap((item, index) => editsOf(item).map((edit) => ({ ...edit, index })));
  const failures = new Map<number, Failure>();
  const writes = groupBy(edits, ({ set, drop }) => JSON.stringify([set, drop])).flatMap((same) =>
    chunks(same, most.tagged),
  );
  for (const some of writes) {
    const batch = some.filter(({ index }) => !failures.has(index));
    const [first] = batch;
    if (!first) continue;
    const results = await sendBisecting(batch, (some) =>
      write(
        some.map(({ id }) => id),
        first,
        scope,
        call,
      ),
    );
    for (const [at, result] of results.entries()) if (!result.ok) failures.set(batch[at]?.index ?? -1, result.failure);
  }
  return items.map((_, index) => {
    const failure = failures.get(index);
    return failure ? { ok: false, failure } : done;
  });
}

interface Edit {
  readonly id: CloudId;
  readonly set: Labels;
  readonly drop: readonly string[];
}

function editsOf({ observed, changes, mark }: Retagged): readonly Edit[] {
  const set = Object.fromEntries(
    labelChanges(changes).flatMap(([key, to]) => (to === undefined ? [] : [[key, String(to)]])),
  );
  const drop = labelChanges(changes).flatMap(([key, to]) => (to === undefined ? [key] : []));
  const labels: Edit = { id: observed.id, set, drop };
  if (!mark) return hasEffect(labels) ? [labels] : [];
  // why: the parts of a batched launch carry its ordinal where the machine does
  const ordinals = observed.signs.first === undefined ? [] : [tagKey('first')];
  const own: Edit = { id: observed.id, set: { ...set, ...markTags(mark) }, drop: [...drop, ...ordinals] };
  const parts = partsMarked(observed, mark).map(({ part, id }) => ({
    id,
    set: markTags(mark, namesParts(observed, mark) ? { part } : {}),
    drop: ordinals,
  }));
  return [...parts, own];
}

const hasEffect = ({ set, drop }: Edit): boolean => Object.keys(set).length > 0 || drop.length > 0;

const prefix = 'labels.';
const labelChanges = (changes: readonly FieldChange[]): readonly (readonly [string, unknown])[] =>
  changes.filter(({ field }) => field.startsWith(prefix)).map(({ field, to }) => [field.slice(prefix.length), to]);

async function write(
  Resources: CloudId[],
  { set, drop }: Edit,
  { client }: Scope,
  call: Call,
): Promise<Result<unknown>> {
  if (Object.keys(set).length > 0) {
    const made = await client.send('CreateTags', new ec2.CreateTagsCommand({ Resources, Tags: tagList(set) }), call);
    if (!made.ok) return made;
  }
  if (drop.length === 0) return done;
  return client.send('DeleteTags', new ec2.DeleteTagsCommand({ Resources, Tags: drop.map((Key) => ({ Key })) }), call);
}

export const unsupported = unsupportedOn('AWS');
