import { ofKind } from '../core/spec/spec-set.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Source } from './source.ts';
import type { Yard } from './yard.ts';

/** What one look at a source found; `why`: for people. */
export type Seen =
  | { readonly state: 'sound'; readonly tree: SpecTree }
  | { readonly state: 'broken'; readonly tree: SpecTree; readonly why: string }
  | { readonly state: 'away'; readonly why: string };

/** Looks at a source; what is wrong there is logged once for as long as it stays. */
export function lookAt(source: Source, yard: Yard): (signal: AbortSignal) => Promise<Seen> {
  const log = yard.telemetry.log.with({ of: source.name });
  let told = '';
  return async (signal) => {
    const seen = await look(source, yard, signal);
    const said = seen.state === 'broken' ? `${seen.state} ${seen.tree.revision}` : seen.state;
    if (said !== told && seen.state === 'broken')
      log.error('specs refused; what was in force stays', { revision: seen.tree.revision, why: seen.why });
    if (said !== told && seen.state === 'away')
      log.warn('the specs cannot be read; what was in force stays', { why: seen.why });
    if (told === 'away' && seen.state !== 'away') log.info('the specs can be read again');
    told = said;
    return seen;
  };
}

async function look(source: Source, yard: Yard, signal: AbortSignal): Promise<Seen> {
  try {
    const tree = await source.read(signal);
    const why = complaintOf(tree, yard);
    return why === undefined ? { state: 'sound', tree } : { state: 'broken', tree, why };
  } catch (error) {
    signal.throwIfAborted();
    return { state: 'away', why: error instanceof Error ? error.message : String(error) };
  }
}

function complaintOf({ problems, documents }: SpecTree, { outside }: Yard): string | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first) {
    const { file, line, column } = first.at;
    const at = file === '' ? '' : `${file}:${line}:${column}: `;
    return `${at}${first.message}${errors.length > 1 ? `, and ${errors.length - 1} more` : ''}`;
  }
  const elsewhere = ofKind(documents, 'Target').find(({ value }) => value.spec.endpoint !== undefined);
  if (elsewhere === undefined || outside.allowEndpoint) return undefined;
  return `the target ${elsewhere.value.metadata.name} is at an endpoint of its own; if that is meant, start with --allow-endpoint`;
}
