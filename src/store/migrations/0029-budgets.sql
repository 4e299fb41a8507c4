-- The rate budgets that the workers of one database share where there is no Redis. `state`: as src/store/budgets/shares.ts keeps it. It is
-- changed only by whoever read its newest version.
CREATE TABLE setpoint.budgets (
  lane text PRIMARY KEY,
  version bigint NOT NULL CHECK (version > 0),
  state jsonb NOT NULL,
  at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Since when budgets are kept here: a lane without a row may have been spent right before.
ALTER TABLE setpoint.store ADD COLUMN budgets_since timestamptz NOT NULL DEFAULT clock_timestamp();
