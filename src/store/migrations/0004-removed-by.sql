-- What a generation removed stays known as removed by it, without a body: no lower generation may make it again.
ALTER TABLE setpoint.applied ALTER COLUMN body DROP NOT NULL;
CREATE INDEX applied_now ON setpoint.applied (estate, scope) WHERE body IS NOT NULL;
