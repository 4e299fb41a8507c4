-- Other databases whose fleets were seen on the same Redis: they spend from the same rate budgets, and nothing here says how much.
CREATE TABLE setpoint.redis_neighbours (
  store text PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
