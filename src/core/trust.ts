import { canonical } from './ledger/canonical.ts';
import type { Document } from './documents/document.ts';
import type { Located, Path, Position } from './documents/tree.ts';
import { error, type Problem, sortProblems } from './documents/problem.ts';
import { differences } from './trust-differences.ts';
import { guardedFields } from './trust-fields.ts';
import { takenNames } from './trust-names.ts';

/**
 * What keeps a proposal from being planned: whoever writes one must not reach by it for a secret, a credential or an address
 * that the specs in force do not reach for already. Pure; both are sound, and read with the same overlay.
 *
 *   in the proposal                                | must be
 *   -----------------------------------------------+----------------------------------------
 *   a document that stands for nothing on a cloud  | as in force, as a whole; none more, none fewer
 *   a field that names a secret or an address      | as in force, in the same document; none more, none fewer
 *                                                  | (a whole document less is one secret less, and may be)
 *   a name that a team takes over by `was`         | of a document of its own in force
 *
 * Compared is what documents mean, so that their order, their files and how they are written may change.
 */
export function refusalsOf(inForce: Documents, proposal: Documents): readonly Problem[] {
  const before = byName(inForce);
  const after = byName(proposal);
  const problems: Problem[] = [];
  for (const document of proposal) problems.push(...changed(document, before.get(nameOf(document))));
  for (const [name, document] of before) if (!after.has(name)) problems.push(...removed(document, proposal));
  return sortProblems([...problems, ...takenNames(inForce, proposal)]);
}

export type Documents = readonly Located<Document>[];

/** Kinds whose documents a proposal may add, change and remove; any other is guarded as a whole, one that is new among them. */
const FREE: ReadonlySet<string> = new Set(['Network', 'FirewallRule', 'Instance'] satisfies Document['kind'][]);

const nameOf = ({ value }: Located<Document>): string => `${value.kind} ${value.metadata.name}`;

const byName = (documents: Documents): ReadonlyMap<string, Located<Document>> =>
  new Map(documents.map((document) => [nameOf(document), document]));

function changed(now: Located<Document>, before: Located<Document> | undefined): readonly Problem[] {
  if (!FREE.has(now.value.kind)) return before === undefined ? [added(now)] : altered(now, before);
  const was = fieldsOf(before);
  const is = fieldsOf(now);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, fresh] = [was.get(key), is.get(key)];
    if (old === undefined && fresh !== undefined) return [refusedField(now, fresh.path, 'add')];
    if (old === undefined || old.text === fresh?.text) return [];
    return [refusedField(now, old.path, fresh === undefined ? 'remove' : 'change')];
  });
}

interface Field {
  readonly path: Path;
  readonly text: string;
}

const fieldsOf = (document: Located<Document> | undefined): ReadonlyMap<string, Field> =>
  new Map(
    (document === undefined ? [] : guardedFields(document.value)).map(({ path, value }) => [
      JSON.stringify(path),
      { path, text: canonical(value) },
    ]),
  );

function added(document: Located<Document>): Problem {
  return refusal(document.at(), `a proposal may not add the ${nameOf(document)}`, AS_IN_FORCE);
}

function altered(now: Located<Document>, before: Located<Document>): readonly Problem[] {
  return differences(before.value, now.value).map((path) => refusedField(now, path, 'change'));
}

/** The values are not repeated: people write secrets where references belong. */
function refusedField(document: Located<Document>, path: Path, deed: 'add' | 'remove' | 'change'): Problem {
  const message = `a proposal may not ${deed} \`${path.map(String).join('.')}\` of the ${nameOf(document)}`;
  return refusal(document.at(path), message, AS_IN_FORCE);
}

/** There is no place for it in the proposal any more: its Estate stands for it. */
function removed(document: Located<Document>, proposal: Documents): readonly Problem[] {
  if (FREE.has(document.value.kind)) return [];
  const { file, line } = document.at();
  const estate = proposal.find(({ value }) => value.kind === 'Estate') ?? proposal[0];
  const at = estate?.at() ?? { file: '', line: 1, column: 1 };
  return [refusal(at, `a proposal may not remove the ${nameOf(document)}, in force at ${file}:${line}`, AS_IN_FORCE)];
}

const AS_IN_FORCE = 'what is in force; such a change is planned once it is on the branch that is followed';

const refusal = (at: Position, message: string, expected: string): Problem =>
  error('untrusted', at, message, { expected });
