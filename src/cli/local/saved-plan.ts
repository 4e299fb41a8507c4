import { readFile, writeFile } from 'node:fs/promises';
import type { PlanJson } from '../../core/render/plan-json.ts';
import { readSavedPlan, savedPlanFormat } from '../../core/render/saved-plan.ts';
import { messageOf } from '../../core/text.ts';
import type { ApprovedAction } from '../../estate/approvals.ts';
import { UserError } from '../errors.ts';
import { overlayOf } from '../options.ts';

/** For the owner's eyes only: a plan shows existing resources. */
export async function savePlan(
  file: string,
  plan: PlanJson,
  { targets, overlay, grace }: Pick<Approved, 'targets' | 'overlay' | 'grace'>,
): Promise<void> {
  const saved = { format: savedPlanFormat, targets, ...overlayOf({ overlay }), ...(grace ? { grace } : {}), plan };
  try {
    await writeFile(file, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new UserError(`The plan cannot be written to ${file}.`, { why: messageOf(cause), cause });
  }
}

/** The approved actions. */
export interface Approved {
  readonly estate: string;
  readonly targets: readonly string[];
  readonly overlay?: string;
  /** Planned with the grace of workers, and so applied with it. */
  readonly grace?: true;
  readonly digest: string;
  readonly actions: readonly ApprovedAction[];
}

export async function readPlan(file: string): Promise<Approved> {
  const next = `Make one with: setpoint plan --out ${file}`;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new UserError(`The plan ${file} cannot be read.`, { why: messageOf(cause), next, cause });
  }
  const reading = readSavedPlan(jsonOf(text));
  if (!reading.ok) throw new UserError(`${file} is not a valid plan file.`, { why: reading.why, next });
  const { plan, targets, overlay, grace } = reading.saved;
  return { ...plan, targets, ...overlayOf({ overlay }), ...(grace ? { grace } : {}) };
}

/** No JSON is undefined, which no JSON says. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
