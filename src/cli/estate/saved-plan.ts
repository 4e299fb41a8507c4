import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
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
  const { success, data, error } = savedPlan.safeParse(jsonOf(text));
  if (!success) throw new Complaint(`${file} is no plan of ours.`, { why: firstOf(error), next });
  return { ...data.plan, targets: data.targets };
}

const verbs = {
  create: 'create',
  update: 'update',
  replace: 'replace',
  delete: 'delete',
  adopt: 'adopt',
  forget: 'forget',
} as const satisfies { readonly [V in Action['verb']]: V };

const said = (what: string) => z.string({ error: what });

const approvedAction = z.object(
  { address: said('an address'), verb: z.enum(verbs, { error: 'a verb' }), digest: said('a digest') },
  { error: 'an action' },
);

/** As much of a saved plan as is needed to apply it; what people read of it is not looked at. */
const savedPlan = z.object(
  {
    format: z.literal(format, { error: `"${format}"` }),
    targets: z.array(said('the name of a target'), { error: 'a list of targets' }),
    plan: z.object(
      {
        estate: said('the name of an estate'),
        digest: said('a digest'),
        actions: z.array(approvedAction, { error: 'a list of actions' }),
      },
      { error: 'a plan' },
    ),
  },
  { error: 'one JSON object' },
);

/** No JSON is undefined, which no JSON says. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What was expected first, and where. Nothing of what stands there: it may be any file. */
function firstOf({ issues: [first] }: z.ZodError): string {
  if (first === undefined) return 'It is damaged.';
  const where = first.path.length === 0 ? 'In it' : `At ${first.path.join('.')}`;
  return `${where} there should be ${first.message}.`;
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
