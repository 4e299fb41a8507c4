-- The monthly cost of each scope, as limits.cost counts it: of what stands, less what its plan saves, and of each launch and other
-- increase since, from the transaction of its intent on. `planned_increase`: of changes that are planned and not begun. `generation`: by
-- whose prices it was counted. `currency`: of these prices.
CREATE TABLE setpoint.scope_costs (
  estate text NOT NULL,
  scope text NOT NULL,
  generation integer NOT NULL,
  currency text NOT NULL,
  monthly double precision NOT NULL,
  planned_increase double precision NOT NULL,
  unpriced text[] NOT NULL,
  PRIMARY KEY (estate, scope)
);
