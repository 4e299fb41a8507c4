import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import type { Action, BlockCode, Finding, WithholdCode } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import type { Explanation } from '../../../src/core/inventory/ownership.ts';
import type { TouchedBy } from '../../../src/core/last-modified.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { explanationJson } from '../../../src/core/render/explanation-json.ts';
import type {
  actionJson,
  desiredJson,
  findingJson,
  lastModifiedByJson,
  observedJson,
  PlanJson,
} from '../../../src/core/render/plan-json.ts';
import type { Attributes, Kind } from '../../../src/core/resource.ts';
import { actionSchema, type findingSchema, type plannedActionSchema } from '../../../src/http/api/schemas/action.ts';
import type { explanationSchema } from '../../../src/http/api/schemas/explanation.ts';
import type { planSchema } from '../../../src/http/api/schemas/plan.ts';
import type {
  attributesByKind,
  desiredSchema,
  lastModifiedBySchema,
  observedSchema,
} from '../../../src/http/api/schemas/resource.ts';

/** The names of all members of all members of a union, and of the lists and objects in them, however deep: `changes.field`. */
type Names<T> = T extends string | number | boolean | null | undefined
  ? never
  : T extends readonly (infer E)[]
    ? Names<E>
    : string extends keyof T
      ? never
      : T extends object
        ? { [K in keyof T & string]: K | `${K}.${Names<NonNullable<T[K]>>}` }[keyof T & string]
        : never;

type ActionJson = ReturnType<typeof actionJson>;
type FindingJson = ReturnType<typeof findingJson>;
type ObservedJson = ReturnType<typeof observedJson>;
type DesiredJson = ReturnType<typeof desiredJson>;
type LastModifiedByJson = ReturnType<typeof lastModifiedByJson>;
type ExplanationJson = ReturnType<typeof explanationJson>;

/** Whatever a core type has its JSON has too, but for names that are others there: a name that only the type has is an error of the compiler. */
type Dropped<Core, Json, Renamed extends string> = Exclude<Names<Core>, Names<Json> | Renamed | `${Renamed}.${string}`>;
type RenamedInAction =
  | 'by'
  | 'because'
  // why: callers who see a part of the estate get no cost
  | 'raisesCostBy'
  // why: that it does is all that is told of it
  | `retires.${string}`
  // why: only the text of a person's own plan says it
  | 'skipsGrace'
  | 'surge.asWanted'
  | 'desired.terms.claim.was'
  | 'desired.terms.presence'
  | 'desired.terms.authoritative'
  | 'desired.terms.named'
  | 'observed.signs';

/** Whatever a core type says its schema declares: a name that only the type has makes this an error of the compiler. */
type Missing<Core, Schema extends z.ZodType> = Exclude<Names<Core>, Names<z.input<Schema>>>;
type None<M extends never> = M;

/** Literals of a field that is told by the same name in both. */
type Word<T, K extends string> = T extends { readonly [key in K]: infer V } ? V : never;
type Unsaid<Core, Schema extends z.ZodType, K extends string> = Exclude<Word<Core, K>, Word<z.input<Schema>, K>>;

type Shown = z.input<typeof findingSchema>;
/** Of findings of this type, whichever others share their schema. */
type CodeOf<T> = Shown extends infer F
  ? F extends { readonly type: infer U; readonly code: infer C }
    ? T extends U
      ? C
      : never
    : never
  : never;

// why: none of these is used; that they compile is the test
export type Declared = [
  None<Dropped<Action, ActionJson, RenamedInAction>>,
  None<Dropped<Finding, FindingJson, 'by' | 'why' | 'of' | 'part' | 'requirements.by' | `requirements.by.${string}`>>,
  None<Dropped<Observed, ObservedJson, 'signs'>>,
  None<Dropped<Observed['signs'], ObservedJson['metadata'], 'origin.why' | 'first' | 'slot'>>,
  None<Dropped<Desired, DesiredJson, 'terms.claim.was' | 'terms.presence' | 'terms.authoritative' | 'terms.named'>>,
  None<Dropped<TouchedBy, LastModifiedByJson, 'who'>>,
  None<
    Exclude<
      Dropped<
        Explanation,
        ExplanationJson,
        | ('wanted' | 'there' | 'mode.why' | 'findings.by' | 'findings.why' | 'findings.of' | 'findings.part')
        | 'findings.requirements.by'
        | `findings.requirements.by.${string}`
      >,
      `actions.${RenamedInAction}` | `actions.by.${string}` | `actions.observed.signs.${string}`
    >
  >,
  None<Missing<ActionJson, typeof actionSchema>>,
  None<Missing<ActionJson, typeof plannedActionSchema>>,
  None<Missing<FindingJson, typeof findingSchema>>,
  None<Missing<DesiredJson, typeof desiredSchema>>,
  None<Missing<ObservedJson, typeof observedSchema>>,
  None<Missing<LastModifiedByJson, typeof lastModifiedBySchema>>,
  None<Missing<ExplanationJson, typeof explanationSchema>>,
  None<Missing<PlanJson, typeof planSchema>>,
  None<{ [K in Kind]: Missing<Attributes[K], (typeof attributesByKind)[K]> }[Kind]>,
  None<Unsaid<Action, typeof actionSchema, 'verb'>>,
  None<Unsaid<ActionJson, typeof actionSchema, 'reason'>>,
  None<Unsaid<Finding, typeof findingSchema, 'type'>>,
  None<Exclude<WithholdCode, CodeOf<'withheld'>>>,
  None<Exclude<BlockCode, CodeOf<'blocked'>>>,
];

describe('the schemas of answers', () => {
  const about = { kind: 'network', address: 'a', documents: [], cause: 'drift' } as const;
  const desired = {
    kind: 'network',
    address: 'a',
    name: 'a',
    attributes: { labels: { tier: 'a' } },
    terms: { mode: 'plan', protect: false, deletionPolicy: 'retain' },
    documents: [],
  } as const;

  it('let nothing out that they do not declare', () => {
    const hidden = { ...desired, secret: 'hush', attributes: { ...desired.attributes, secret: 'hush' } };
    const shown = actionSchema.parse({ verb: 'create', ...about, desired: hidden, reason: 'absent', secret: 'hush' });
    assert.deepEqual(shown, { verb: 'create', ...about, desired, reason: 'absent' });
  });

  it('tell times as texts', () => {
    const lastModifiedBy = { actor: 'ada', action: 'TagObjects', event: 'e1', at: 1_767_225_600_000 };
    const shown = actionSchema.parse({ verb: 'forget', ...about, id: 'vpc-1', reason: 'gone', lastModifiedBy });
    assert.equal(shown.lastModifiedBy?.at, '2026-01-01T00:00:00.000Z');
  });
});
