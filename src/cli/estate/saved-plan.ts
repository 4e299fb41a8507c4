import { readFile, writeFile } from 'node:fs/promises';
import type { Action } from '../../core/action.ts';
import type { PlanJson } from '../../core/render/plan-json.ts';
import type { Address } from '../../core/resource.ts';
import { Complaint } from '../complaint.ts';

/** What is kept of a plan to apply it later. */
export interface SavedPlan {
  readonly format: typeof format;
  readonly targets: readonly string[];
  readonly plan: PlanJson;
}

const format = 'setpoint-plan/1';

/** For the owner's eyes only: a plan tells what stands where. */
export async function savePlan(file: string, plan: PlanJson, targets: readonly string[]): Promise<void> {
  const saved: SavedPlan = { format, targets, plan };
  try {
    await writeFile(file, `${JSON.stringify(saved, null, 2)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new Complaint(`The plan cannot be written to ${file}.`, { why: reasonOf(cause), cause });
  }
}

/** What was approved. */
export interface Approved {
  readonly estate: string;
  readonly targets: readonly string[];
  readonly digest: string;
  readonly actions: readonly ApprovedAction[];
}

export interface ApprovedAction {
  readonly address: Address;
  readonly verb: Action['verb'];
  readonly digest: string;
}

export async function readPlan(file: string): Promise<Approved> {
  const next = `Make one with: setpoint plan --out ${file}`;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new Complaint(`The plan ${file} cannot be read.`, { why: reasonOf(cause), next, cause });
  }
  const saved = parse(text);
  if (saved === undefined) throw new Complaint(`${file} is no plan of ours.`, { next });
  const { plan, targets } = saved;
  return {
    estate: plan.estate,
    targets,
    digest: plan.digest,
    actions: plan.actions.map(({ address, verb, digest }) => ({ address, verb, digest })),
  };
}

function parse(text: string): SavedPlan | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSaved(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isSaved = (value: unknown): value is SavedPlan =>
  typeof value === 'object' && value !== null && 'format' in value && value.format === format;

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
