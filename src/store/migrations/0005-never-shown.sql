-- Creations of networks that were closed because nothing ever showed: their calls may come late.
ALTER TABLE setpoint.intents ADD COLUMN never_shown boolean NOT NULL DEFAULT false;
CREATE INDEX intents_never_shown ON setpoint.intents (estate, scope, at DESC) WHERE never_shown;
