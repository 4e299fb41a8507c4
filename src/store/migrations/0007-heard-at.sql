-- When a touch was heard of, by our own clock: one that was, before we wrote the object again, is not what changed it since.
ALTER TABLE setpoint.touches ADD COLUMN heard_at bigint NOT NULL DEFAULT 0;
