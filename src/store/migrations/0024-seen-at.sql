-- When an observation first saw the object of a claim standing, ms since the epoch. Null: none has.
ALTER TABLE setpoint.claims ADD COLUMN seen_at bigint;
CREATE INDEX claims_unseen ON setpoint.claims (estate, scope) WHERE seen_at IS NULL;
