-- The newest generation that is applied in a scope but for deletions that wait for the end of their grace, and the addresses that were in
-- a grace since the fully applied generation.
ALTER TABLE setpoint.standing ADD COLUMN but_graces integer NOT NULL DEFAULT 0;
ALTER TABLE setpoint.standing ADD COLUMN in_grace text[] NOT NULL DEFAULT '{}';
