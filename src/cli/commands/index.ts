import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { adopt } from './adopt.ts';
import { apply } from './apply.ts';
import { doctor } from './doctor.ts';
import { drift } from './drift.ts';
import { explain } from './explain.ts';
import { forget } from './forget.ts';
import { inventory } from './inventory.ts';
import { ledger } from './ledger.ts';
import { plan } from './plan.ts';
import { prune } from './prune.ts';
import { sandbox } from './sandbox.ts';
import { schema } from './schema.ts';
import { takeover } from './takeover.ts';
import { validate } from './validate.ts';

/** Every verb, in the order of the help. A new verb is one file and one line. */
export const verbs: readonly ((context: Context) => Command)[] = [
  validate,
  schema,
  plan,
  apply,
  drift,
  inventory,
  explain,
  ledger,
  adopt,
  prune,
  forget,
  takeover,
  doctor,
  sandbox,
];
