import { join } from 'node:path';
import { byStrictness, type Desired, strictest } from '../core/desired.ts';
import type { Document } from '../core/documents/document.ts';
import { effectiveMode } from '../core/documents/effective-terms.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Located } from '../core/documents/tree.ts';
import type { ModeReason } from '../core/inventory/ownership.ts';
import type { ModesBefore } from '../core/plan/plan-input.ts';
import type { Estate } from './estate.ts';

/** The mode that holds, beside what the generation before said of its documents. */
export function modeNow(desired: Desired, estate: Estate, before: ModesBefore | undefined): ModeReason {
  const reason = modeReason(desired, estate);
  const former = desired.documents.flatMap(({ address }) => before?.(address) ?? []);
  if (former.length === 0 || byStrictness(strictest(former), reason.mode) >= 0) return reason;
  return { ...reason, stillBoundBy: strictest(former) };
}

function modeReason({ address, documents, terms }: Desired, estate: Estate): ModeReason {
  const [first] = documents;
  const resource = estate.tree.documents.find(
    (document) => document.at().file === first?.file && document.at().line === first.line,
  );
  const scope = estate.scopes.find(({ wanted }) => wanted.desired.some((one) => one.address === address));
  const target = ofKind(estate.tree.documents, 'Target').find(
    ({ value }) => value.metadata.name === scope?.targets[0]?.metadata.name,
  );
  if (resource === undefined || !isResource(resource) || target === undefined || estate.tree.estate === undefined)
    return { mode: terms.mode, why: 'of its documents' };
  const { mode, decidedBy } = effectiveMode(resource, target, estate.tree.estate);
  if (decidedBy === undefined) return { mode, why: 'nobody set one' };
  return { mode, why: `${decidedBy.document} says so at ${join(estate.dir, decidedBy.at.file)}:${decidedBy.at.line}` };
}

type Resource = Extract<Document, { readonly kind: 'Network' | 'FirewallRule' | 'Instance' }>;

const isResource = (document: Located<Document>): document is Located<Resource> =>
  document.value.kind !== 'Estate' && document.value.kind !== 'Target';
