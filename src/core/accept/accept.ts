import type { Action } from '../action.ts';
import { addressAt, type Site } from '../compile/site.ts';
import { documentFieldOf } from '../compile/terms.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Document, FirewallRuleDoc } from '../documents/document.ts';
import type { DocumentEdit } from '../documents/document-edit.ts';
import { isResource, type ResourceDoc } from '../documents/effective-terms.ts';
import type { Located, Position } from '../documents/tree.ts';
import { isKept } from '../kinds/kept-fields.ts';
import type { Compared } from '../plan/compared.ts';
import { type Address, nameIn, prefixIn } from '../resource.ts';
import { attributeNamed, fieldEdits, fieldNamed } from './fields.ts';
import { withoutMissing } from './missing-rules.ts';
import type { FieldEdits } from './value-edits.ts';

/** Drift to keep. `fields`: as documents or plans call them; none: all. */
export interface AcceptRequest {
  readonly addresses: readonly Address[];
  readonly fields: readonly string[];
}

/** All that is known of the drift. */
export interface AcceptInput {
  readonly documents: readonly Located<Document>[];
  /** Every target of the specs, observed or not. */
  readonly sites: readonly Site[];
  /** The resources that stand, by address, of all observed scopes. */
  readonly compared: ReadonlyMap<Address, Compared>;
  /** The actions that would revert drift, of all observed scopes. */
  readonly reverts: readonly Action[];
  readonly desired: readonly Desired[];
}

/** A difference that the documents will state. `field`: absent where a whole rule is gone. */
export interface AcceptedDrift {
  readonly address: Address;
  readonly field?: string;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly at: Position;
}

/** A difference that no edit of a document states. */
export interface RefusedDrift {
  readonly address: Address;
  readonly field?: string;
  readonly reason: string;
  readonly next: string;
  readonly at?: Position;
}

export interface Acceptance {
  readonly accepted: readonly AcceptedDrift[];
  readonly refused: readonly RefusedDrift[];
  readonly edits: readonly DocumentEdit[];
  /** Fields of Setpoint's own, which a document never states. The next apply writes them. */
  readonly left: readonly Pick<AcceptedDrift, 'address' | 'field'>[];
}

/** The edits by which the documents state the drift of these resources. Pure. */
export function acceptDrift(request: AcceptRequest, input: AcceptInput): Acceptance {
  const parts = request.addresses.flatMap((address) => acceptAt(address, request, input));
  const gone = acceptMissing(request, input);
  const all = [...parts, ...gone];
  const edits = all.flatMap((part) => part.edits);
  return {
    accepted: all.flatMap((part) => part.accepted),
    refused: [...all.flatMap((part) => part.refused), ...contradictions(all)],
    edits: [...new Map(edits.map((edit) => [JSON.stringify(edit), edit])).values()],
    left: all.flatMap((part) => part.left),
  };
}

const nothing: Acceptance = { accepted: [], refused: [], edits: [], left: [] };

/** The fields of a resource that stands; nothing for one that does not. */
function acceptAt(address: Address, { fields }: AcceptRequest, input: AcceptInput): readonly Acceptance[] {
  const compared = input.compared.get(address);
  if (compared === undefined) return [];
  return compared.drifted
    .filter(({ field }) => isChosen(field, fields))
    .map((change) => {
      if (change.field === 'mark' || isKept(change.field))
        return { ...nothing, left: [{ address, field: change.field }] };
      return acceptField(change, compared, input);
    });
}

const isChosen = (field: string, fields: readonly string[]): boolean =>
  fields.length === 0 || fields.some((one) => attributeNamed(one) === field);

function acceptField(change: FieldChange, compared: Compared, input: AcceptInput): Acceptance {
  const { desired } = compared;
  const field = fieldNamed(change.field);
  const results = desired.documents.map((ref) => {
    const document = documentAt(ref, input.documents);
    const site = document && siteOf(desired, document, input);
    if (document === undefined || site === undefined) throw new Error(`${desired.address} has no document`);
    const everywhere = isEverywhere(change, { document, site }, input);
    return { document, edits: fieldEdits({ change, compared, document, site, everywhere }) };
  });
  return joined(results, { address: desired.address, field, from: change.to, to: change.from });
}

interface Edited {
  readonly document: Located<ResourceDoc>;
  readonly edits: FieldEdits;
}

function joined(results: readonly Edited[], drift: Omit<AcceptedDrift, 'at'>): Acceptance {
  const { address, field } = drift;
  const refused = results.flatMap(({ edits }) =>
    edits.refused === undefined
      ? []
      : [{ address, field, reason: edits.refused, next: edits.next, at: edits.at } satisfies RefusedDrift],
  );
  if (refused.length > 0) return { ...nothing, refused };
  const edits = results.flatMap((one) => one.edits.edits ?? []);
  return {
    ...nothing,
    accepted: results.map(({ document, edits: one }) => ({ ...drift, at: one.edits?.[0]?.at ?? document.at() })),
    edits,
  };
}

/** Only rules have several documents, and each states it. */
export const documentAt = (
  { file, line }: Pick<Position, 'file' | 'line'>,
  documents: readonly Located<Document>[],
): Located<ResourceDoc> | undefined => {
  const found = documents.find(({ at }) => at().file === file && at().line === line);
  return found !== undefined && isResource(found) ? found : undefined;
};

/** The target by which the document makes the resource. */
function siteOf(
  { address, kind }: Desired,
  document: Located<ResourceDoc>,
  { sites, documents }: Pick<AcceptInput, 'sites' | 'documents'>,
): Site | undefined {
  const here = sites.filter((site) => site.dialect.names.prefix(kind, site.place) === prefixIn(address, kind));
  const targets = targetsOf(document, documents);
  return here.find(({ target }) => targets.includes(target.metadata.name)) ?? here[0];
}

/** A rule or group without targets is on those of its network. */
function targetsOf(
  { value: { kind, spec } }: Located<ResourceDoc>,
  documents: AcceptInput['documents'],
): readonly string[] {
  if (kind === 'Network' || spec.targets !== undefined) return spec.targets ?? [];
  const network = documents.find(({ value }) => value.kind === 'Network' && value.metadata.name === spec.network);
  return network?.value.kind === 'Network' ? network.value.spec.targets : [];
}

/** True if the machines of each target that the document's own value holds for have this very drift. */
function isEverywhere(
  change: FieldChange,
  { document, site }: { readonly document: Located<ResourceDoc>; readonly site: Site },
  { compared, sites, desired }: AcceptInput,
): boolean {
  const { value } = document;
  if (value.kind !== 'Instance') return true;
  const path = documentFieldOf(change.field).split('.');
  const others = value.spec.targets.filter(
    (name) => name !== site.target.metadata.name && !document.wrote(['spec', 'on', name, ...path]),
  );
  const isAlike = ({ address }: Desired): boolean =>
    compared.get(address)?.drifted.some(({ field, from }) => field === change.field && isSame(from, change.from)) ??
    false;
  return others.every((name) => {
    const other = sites.find(({ target }) => target.metadata.name === name);
    if (other === undefined) return false;
    const prefix = addressAt(other, 'instance', '');
    const machines = desired.filter(
      (one) => one.address.startsWith(prefix) && one.documents.some((ref) => documentAt(ref, [document]) !== undefined),
    );
    return machines.length > 0 && machines.every(isAlike);
  });
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Resources that are gone on the cloud, and rules that nobody wrote. */
function acceptMissing({ addresses, fields }: AcceptRequest, input: AcceptInput): readonly Acceptance[] {
  if (fields.length > 0) return [];
  const chosen = new Set(addresses);
  const here = input.reverts.filter(({ address }) => chosen.has(address));
  const refused = here.flatMap((action) => refusalOf(action, input) ?? []);
  const missing = here.flatMap((action) => (action.verb === 'create' && isRuleOfDocument(action) ? [action] : []));
  const places = missing.flatMap(({ desired }) =>
    desired.documents.flatMap((ref) => documentAt(ref, input.documents) ?? []),
  );
  const gone = new Set(missing.map(({ address }) => address));
  return [
    { ...nothing, refused },
    ...[...new Set(places)].flatMap((document) =>
      isRule(document) ? [acceptGone(document, missing, gone, input)] : [],
    ),
  ];
}

type Creation = Extract<Action, { readonly verb: 'create' }>;

const isRule = (document: Located<ResourceDoc>): document is Located<FirewallRuleDoc> =>
  document.value.kind === 'FirewallRule';

/** Stated by a rule's document, not by a network's `default`. */
const isRuleOfDocument = ({ kind, documents }: Action): boolean =>
  kind === 'firewall-rule' && documents.every(({ address }) => address.includes('/firewall-rule/'));

function acceptGone(
  document: Located<FirewallRuleDoc>,
  missing: readonly Creation[],
  gone: ReadonlySet<Address>,
  { documents, sites }: AcceptInput,
): Acceptance {
  const targets = targetsOf(document, documents);
  const here = sites.filter(({ target }) => targets.includes(target.metadata.name));
  const edits = withoutMissing(document, gone, here);
  const rules = missing.filter((action) =>
    action.desired.documents.some((ref) => documentAt(ref, [document]) !== undefined),
  );
  const results = rules.map(({ address }) => joined([{ document, edits }], { address }));
  return {
    ...nothing,
    accepted: results.flatMap(({ accepted }) => accepted),
    refused: results.slice(0, 1).flatMap(({ refused }) => refused),
    edits: edits.edits ?? [],
  };
}

function refusalOf(action: Action, { documents }: AcceptInput): RefusedDrift | undefined {
  const { address, kind, verb } = action;
  if (verb === 'delete') return { address, ...undocumented(action) };
  if (verb !== 'create' || isRuleOfDocument(action)) return undefined;
  const [ref] = action.desired.documents;
  const at = ref && documentAt(ref, documents)?.at();
  const name = nameIn(address, kind);
  return {
    address,
    ...(at === undefined ? {} : { at }),
    ...(kind === 'firewall-rule'
      ? {
          reason: 'the rule is gone, and the `default` of its network states it',
          next: 'Edit `default` by hand: it holds for every group of the network.',
        }
      : {
          reason: `the ${kind} ${name} is gone on the cloud`,
          next:
            kind === 'instance'
              ? 'Lower `replicas` or remove the document by hand, if it is to stay away.'
              : 'Remove it from the document by hand, if it is to stay away.',
        }),
  };
}

/** Of what would be deleted. */
function undocumented({
  because,
  observed,
}: Extract<Action, { readonly verb: 'delete' }>): Pick<RefusedDrift, 'reason' | 'next'> {
  if (because !== 'rogue')
    return {
      reason: `no document asks for ${observed.id}, and accept edits only what documents state`,
      next: `Find out why it stands: setpoint explain ${observed.id}`,
    };
  return {
    reason: 'no document states this rule, and accept edits only what documents state',
    next: `Write a document for it: setpoint import --id ${observed.id}`,
  };
}

/** One line cannot have two values. */
function contradictions(parts: readonly Acceptance[]): readonly RefusedDrift[] {
  const places = Map.groupBy(
    parts.flatMap(({ edits, accepted }) =>
      edits.flatMap((edit) => ('path' in edit && edit.op !== 'append' ? [{ edit, drift: accepted[0] }] : [])),
    ),
    ({ edit }) => JSON.stringify([edit.at, edit.path]),
  );
  return [...places.values()].flatMap((together): readonly RefusedDrift[] => {
    const values = new Set(together.map(({ edit }) => JSON.stringify('value' in edit ? edit.value : null)));
    const [first, ...others] = together.flatMap(({ drift }) => drift ?? []);
    const other = others.find(({ to }) => !isSame(to, first?.to));
    if (values.size === 1 || first === undefined || other === undefined) return [];
    return [
      {
        address: first.address,
        ...(first.field === undefined ? {} : { field: first.field }),
        reason: `one line states it for ${first.address} and ${other.address}, and the cloud has ${JSON.stringify(first.to) ?? 'none'} and ${JSON.stringify(other.to) ?? 'none'}`,
        next: 'Make them equal on the cloud, or edit the document by hand.',
        at: first.at,
      },
    ];
  });
}
