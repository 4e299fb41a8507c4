import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type Document, userDataFiles, userDataRefused } from '../core/documents/document.ts';
import { treeOf } from '../core/documents/overlay.ts';
import { error, type Problem } from '../core/documents/problem.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Located, Path } from '../core/documents/tree.ts';
import { limits } from './limits.ts';
import { type FileReading, foldedPath, type TreeSource } from './tree.ts';

/** A machine's first script. `path` is its path in the tree; `sha256` in hex is what plans and marks hold of it. */
export interface UserData {
  readonly path: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** The path in the tree of a script: it counts from the folder of the spec file in which it is named. */
export const userDataPath = (specFile: string, script: string): string => posix.join(posix.dirname(specFile), script);

/** Every file that an instance names as user data, by its path in the tree, read once each. */
export async function readUserData(
  source: TreeSource,
  documents: readonly Located<Document>[],
): Promise<{ readonly userData: ReadonlyMap<string, UserData>; readonly problems: readonly Problem[] }> {
  const userData = new Map<string, UserData>();
  const problems: Problem[] = [];
  for (const { document, at, file } of documents.flatMap(namedFiles)) {
    const from = document.at(at).file;
    const path = userDataPath(from, file);
    if (userData.has(path)) continue;
    const { bytes, refused } = await readOwn(source, from, path);
    if (refused === undefined)
      userData.set(path, { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') });
    else problems.push(error('user-data', document.at(at), `the file ${JSON.stringify(path)} is not read: ${refused}`));
  }
  return { userData, problems: [...problems, ...refusals(documents, userData)] };
}

/** No team names another's file, which may be a secret of theirs or change under them. */
async function readOwn(source: TreeSource, specFile: string, path: string): Promise<FileReading> {
  if (treeOf(specFile) !== treeOf(path)) return { refused: 'it lies in the tree of another repository' };
  const { entries = [] } = await source.entries(posix.dirname(path).replace(/^\.$/, ''));
  const name = posix.basename(path);
  if (entries.some((entry) => entry.name !== name && foldedPath(entry.name) === foldedPath(name)))
    return { refused: 'the name of a file beside it differs in case or accents only' };
  return source.file(path, limits.userDataBytes);
}

/** Each file is such as the clouds that boot with it take. */
function* refusals(
  documents: readonly Located<Document>[],
  userData: ReadonlyMap<string, UserData>,
): Iterable<Problem> {
  const targets = new Map(ofKind(documents, 'Target').map(({ value }) => [value.metadata.name, value.spec.provider]));
  for (const document of ofKind(documents, 'Instance')) {
    const reported = new Set<string>();
    for (const { target, path: at, file, login } of userDataFiles(document.value)) {
      const provider = targets.get(target);
      const path = userDataPath(document.at(at).file, file);
      const data = userData.get(path);
      const script = data && { bytes: data.bytes.length, isText: isUtf8(data.bytes), login };
      const refused = provider && script && userDataRefused(script, provider);
      if (!refused || reported.has(refused)) continue;
      reported.add(refused);
      yield error('user-data', document.at(at), `the file ${JSON.stringify(path)} cannot boot ${target}: ${refused}`, {
        expected: 'a short script in UTF-8, which fetches the rest',
      });
    }
  }
}

/** The paths in the tree of the scripts that a document names. */
export const userDataPathsOf = (document: Located<Document>): readonly string[] =>
  namedFiles(document).map(({ at, file }) => userDataPath(document.at(at).file, file));

interface NamedFile {
  readonly document: Located<Document>;
  readonly at: Path;
  readonly file: string;
}

function namedFiles(document: Located<Document>): readonly NamedFile[] {
  if (document.value.kind !== 'Instance') return [];
  const { userData, on } = document.value.spec;
  const fields = [
    { at: ['spec', 'userData', 'file'], file: userData?.file },
    ...Object.entries(on).map(([target, own]) => ({
      at: ['spec', 'on', target, 'userData', 'file'],
      file: own.userData?.file,
    })),
  ];
  return fields.flatMap(({ at, file }) => (file === undefined ? [] : [{ document, at, file }]));
}
