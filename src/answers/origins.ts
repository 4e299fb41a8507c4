import { join } from 'node:path';
import type { Desired } from '../core/desired.ts';
import type { Document } from '../core/documents/document.ts';
import type { ResourceDoc } from '../core/documents/effective-terms.ts';
import { type FieldOrigin, fieldOrigins } from '../core/documents/field-origins.ts';
import type { Located } from '../core/documents/tree.ts';
import type { Origin } from '../core/inventory/ownership.ts';
import { type Address, nameIn } from '../core/resource.ts';
import type { Estate } from './estate.ts';

/** Of each document once, however many atoms it makes. */
export function originsOf(wanted: readonly Desired[], estate: Estate): readonly Origin[] {
  const told = new Set<Address>();
  return wanted.flatMap((one) =>
    one.documents.flatMap((ref) => {
      const document = estate.tree.documents.find(({ at }) => at().file === ref.file && at().line === ref.line);
      if (told.has(ref.address) || document === undefined || !isResource(document)) return [];
      told.add(ref.address);
      const asked = { kind: one.kind, name: nameIn(one.address, one.kind), target: targetOf(one, document, estate) };
      return fieldOrigins(document, asked).map((origin) => placed(origin, ref.address, estate.dir));
    }),
  );
}

function placed({ at, ...origin }: FieldOrigin, document: Address, dir: string): Origin {
  if (at === undefined) return { document, ...origin };
  return { document, ...origin, file: join(dir, at.file), line: at.line, column: at.column };
}

const isResource = (document: Located<Document>): document is Located<ResourceDoc> =>
  document.value.kind !== 'Estate' && document.value.kind !== 'Target';

/** Of the targets that lie where the resource does, one that the document names. */
function targetOf({ address }: Desired, { value: { spec } }: Located<ResourceDoc>, { scopes }: Estate): string {
  const scope = scopes.find(({ wanted }) => wanted.desired.some((one) => one.address === address));
  const here = scope?.wanted.targets ?? [];
  return here.find((name) => spec.targets?.includes(name)) ?? here[0] ?? '';
}
