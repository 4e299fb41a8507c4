import { callerOf } from '../../http/api/support/api-world.ts';

/** May operate what lies in `acme` within these bounds. */
export const within = (bounds: object) => ({ grants: [{ role: 'operator' as const, estates: ['acme'], ...bounds }] });

/** Of parts of an estate that differ; the scope of their world has the target `here`. */
export const operators = {
  web: callerOf('operator', { id: 'web', person: 'wim', ...within({ owners: ['team-web'] }) }),
  webSeesAll: callerOf('operator', {
    id: 'seer',
    grants: [...within({ owners: ['team-web'] }).grants, { role: 'viewer', estates: ['acme'] }],
  }),
  here: callerOf('operator', { id: 'here', ...within({ targets: ['here'] }) }),
  elsewhere: callerOf('operator', { id: 'elsewhere', grants: [{ role: 'operator', estates: ['other'] }] }),
};
