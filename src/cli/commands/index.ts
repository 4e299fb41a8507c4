import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { apply } from './apply.ts';
import { drift } from './drift.ts';
import { inventory } from './inventory.ts';
import { plan } from './plan.ts';
import { prune } from './prune.ts';
import { sandbox } from './sandbox.ts';
import { schema } from './schema.ts';
import { validate } from './validate.ts';

/** Every verb, in the order of the help. A new verb is one file and one line. */
export const verbs: readonly ((context: Context) => Command)[] = [
  validate,
  schema,
  plan,
  apply,
  drift,
  inventory,
  prune,
  sandbox,
];
