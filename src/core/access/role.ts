/** What somebody may be let do; each is asked for by the routes that need it. */
export type Permission = 'read' | 'plan' | 'approve' | 'operate' | 'administer';

export const roles = ['viewer', 'planner', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/**
 * read: ask what there is · plan: what would a change do · approve: let pass what is withheld · operate: bring posted specs
 * into force, pause, resume, ask for a pass · administer: give and take access.
 */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['read'],
  planner: ['read', 'plan'],
  approver: ['read', 'plan', 'approve'],
  operator: ['read', 'plan', 'operate'],
  admin: ['read', 'plan', 'approve', 'operate', 'administer'],
};
