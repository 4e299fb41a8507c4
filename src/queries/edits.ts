import { type AcceptInput, documentAt } from '../core/accept/accept.ts';
import { attributeNamed, fieldNamed } from '../core/accept/fields.ts';
import type { DocumentEdit } from '../core/documents/document-edit.ts';
import type { ResourceDoc } from '../core/documents/effective-terms.ts';
import { type Located, plainValue, treeAt } from '../core/documents/tree.ts';
import { baseRevision } from '../core/patch.ts';
import type { Address } from '../core/resource.ts';
import { shellWord } from '../core/text.ts';
import type { Estate } from '../estate/load.ts';
import type { DriftIgnored, EditAnswers, EditedChange, IgnoredField, ProposedEdit } from '../ports/queries.ts';
import type { ChangedFile, SpecTree } from '../ports/sources.ts';
import {
  type AcceptMeans,
  acceptInput,
  type EditMeans,
  EditRefused,
  type EditView,
  editFiles,
  notExact,
  placeOf,
  proofOf,
  provenAcceptance,
  refuseFields,
  resolve,
  rolloutsOf,
  treeWith,
} from './accept-drift.ts';
import { addressIn } from './explain.ts';
import type { PreviewContext } from './preview.ts';

/** Edits of the active specs, by the newest observations in the store. Nothing is written: a person commits them. */
export function editsOn({ line, survey, posted, edits }: PreviewContext): EditAnswers {
  const means: AcceptMeans = {
    findAddress: (given, known) => addressIn(given, [...known]),
    fieldsText: () => 'A field of `fields`',
    editSpecFile: edits.editSpecFile,
    parse: posted.again,
    open: posted.open,
  };
  const told = async (view: EditView, edit: Edit): Promise<ProposedEdit> => ({
    ...edit,
    revision: baseRevision(view.estate.tree.revision),
    files: await Promise.all(
      edit.files.map(async (file) => ({
        path: file.path,
        removed: file.after === undefined,
        diff: await edits.fileDiff(file),
      })),
    ),
  });
  return {
    accept: ({ address, fields, ...asked }) =>
      line(async () => {
        const view = await survey(asked);
        const proven = await provenAcceptance(view, { given: [address], fields }, means);
        const isHere = proven.files.length > 0 && !proven.files.some(isOfTeam);
        const command = acceptCommand(proven.accepted, fields, view.estate);
        return told(view, { ...proven, ...(isHere ? { command } : {}) });
      }),
    ignore: ({ address, ignore, ...asked }) =>
      line(async () => {
        const view = await survey(asked);
        return told(view, await provenIgnore({ address, ignore }, view, means));
      }),
  };
}

type Edit = Omit<ProposedEdit, 'revision' | 'files'> & { readonly files: readonly ChangedFile[] };

/** In a repository of its own: a checkout of the estate has no such file. */
const isOfTeam = ({ path }: ChangedFile): boolean => path.startsWith('@');

/** The line by which the command line makes the same edit, on an observation of its own. */
function acceptCommand(
  accepted: readonly EditedChange[],
  fields: readonly string[],
  { tree }: Pick<Estate, 'tree'>,
): string {
  const addresses = [...new Set(accepted.map(({ address }) => address))];
  return [
    'setpoint accept',
    ...addresses.map(shellWord),
    ...fields.map((field) => `--field ${shellWord(field)}`),
    ...(tree.overlay === undefined ? [] : [`--overlay ${shellWord(tree.overlay)}`]),
    '--propose',
  ].join(' ');
}

/** An entry under `ignore` in the document of drifted resources. A plan with it has nothing to do for the field, and nothing new. */
async function provenIgnore(
  { address, ignore }: Pick<DriftIgnored, 'address' | 'ignore'>,
  view: EditView,
  means: AcceptMeans,
): Promise<Edit> {
  const { estate } = view;
  if (ignore.until < estate.today)
    throw new EditRefused('The last day of the entry has passed. Nothing was changed.', {
      why: 'After its last day an entry has no effect.',
      next: `Send a day from ${estate.today} on as \`until\`.`,
    });
  const input = await acceptInput(view);
  const addresses = resolve(address, { view, input, means });
  const changes = driftedIn(addresses, ignore.field, input);
  refuseFields({ fields: [ignore.field], addresses }, changes, { compared: input.compared, means });
  const rest = { left: [], rollouts: rolloutsOf(addresses, input) };
  const document = documentOf(changes);
  if (document === undefined) return { ...rest, accepted: [], others: [], files: [] };
  const edits = ignoreEdits(document, { ...ignore, field: fieldNamed(attributeNamed(ignore.field)) });
  const accepted = changes.map(({ document: _, ...change }) => ({ ...change, at: edits[0]?.at ?? document.at() }));
  const files = editFiles(edits, estate, means);
  return { ...rest, accepted, files, others: await proveIgnored({ accepted, files }, view, means) };
}

interface IgnoredChange extends Omit<EditedChange, 'at' | 'field'> {
  readonly field: string;
  readonly document: Located<ResourceDoc> | undefined;
}

/** The drift that an entry for this field would cover. */
function driftedIn(
  addresses: readonly Address[],
  field: string,
  { compared, documents }: AcceptInput,
): readonly IgnoredChange[] {
  const attribute = attributeNamed(field);
  return addresses.flatMap((address) => {
    const { desired, drifted = [] } = compared.get(address) ?? {};
    return drifted
      .filter((change) => change.field === attribute)
      .flatMap(({ field: its, from, to }) =>
        (desired?.documents ?? []).map((ref) => ({
          ...{ address, field: fieldNamed(its), from: to, to: from },
          document: documentAt(ref, documents),
        })),
      );
  });
}

/** The one document to edit; undefined where nothing drifted. */
function documentOf(changes: readonly IgnoredChange[]): Located<ResourceDoc> | undefined {
  const [first, ...others] = new Set(changes.map(({ document }) => document));
  if (others.length === 0) return first;
  throw new EditRefused('Several documents state the field. Nothing was changed.', {
    next: 'Send the address of one document, or add the entry to each of them by hand.',
  });
}

/** A new entry, or the new end and reason of the one that the document has for this field. */
function ignoreEdits(document: Located<ResourceDoc>, { field, ...terms }: IgnoredField): readonly DocumentEdit[] {
  const path = ['spec', 'ignore'];
  const written = treeAt(document.tree, path);
  const entries = written?.kind === 'list' ? written.items : [];
  const known = entries.findIndex((entry) => {
    const at = treeAt(entry, ['field']);
    return at !== undefined && plainValue(at) === field;
  });
  if (known >= 0)
    return (['owner', 'reason', 'until'] as const).map((name) => {
      const place = [...path, known, name];
      return { op: 'set', at: document.at(place), path: place, value: terms[name] };
    });
  const value = { field, owner: terms.owner, reason: terms.reason, until: terms.until };
  if (entries.length > 0) return [{ op: 'append', at: document.at(path), path, value }];
  return [{ op: 'set', at: written === undefined ? document.at() : document.at(path), path, value: [value] }];
}

/** Resources that nobody named and that the entry covers too. Throws where it has no effect, or another one. */
async function proveIgnored(
  { accepted, files }: { readonly accepted: readonly EditedChange[]; readonly files: readonly ChangedFile[] },
  view: EditView,
  means: EditMeans,
): Promise<readonly Address[]> {
  const tree = await treeWith(files, view.estate, means);
  refuseEntry(tree, view.estate);
  const byAddress = Map.groupBy(accepted, ({ address }) => address);
  const named = new Map(
    [...byAddress].map(([address, all]) => [address, all.flatMap(({ field = '' }) => attributeNamed(field))]),
  );
  const { objections, others } = await proofOf(await means.open(tree), view, named);
  if (objections.length > 0) throw notExact(objections, accepted, view.estate);
  return others;
}

/** Throws where the specs are not valid with the entry, or where it has no effect. */
function refuseEntry({ problems }: SpecTree, estate: Estate): void {
  const known = new Set(estate.tree.problems.map(({ code, message }) => `${code} ${message}`));
  const problem = problems.find(
    ({ severity, code, message }) => severity === 'error' || (code === 'not-here' && !known.has(`${code} ${message}`)),
  );
  if (problem === undefined) return;
  const { expected } = problem.hint ?? {};
  throw new EditRefused('This field cannot be ignored there. Nothing was changed.', {
    where: placeOf(problem.at, estate),
    why: `${problem.message}${expected === undefined ? '' : `; expected ${expected}`}.`,
    next: 'Accept the drift, or apply, so that Setpoint reverts it.',
  });
}
