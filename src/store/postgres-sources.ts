import type { Sources } from '../ports/sources.ts';
import type { Context } from './context.ts';
import { postgresBells } from './postgres-bells.ts';
import { postgresHistories } from './postgres-histories.ts';
import { postgresPins } from './postgres-pins.ts';
import { postgresSourceStates } from './postgres-source-states.ts';

export const postgresSources = (context: Context): Sources => ({
  states: postgresSourceStates(context),
  pins: postgresPins(context),
  histories: postgresHistories(context),
  bells: postgresBells(context.db),
});
