-- A pause may be a part of an incident, which a person names. `lets_narrow`: healing that only narrows traffic goes on.
ALTER TABLE setpoint.pauses ADD COLUMN incident text;
ALTER TABLE setpoint.pauses ADD COLUMN lets_narrow boolean NOT NULL DEFAULT false;
