-- An action may need several approvals, and each of them is spent by the intent that they let pass.
ALTER TABLE setpoint.approved_intents DROP CONSTRAINT approved_intents_pkey;
ALTER TABLE setpoint.approved_intents ADD PRIMARY KEY (intent, seq);

-- Objects that were under `protect` at any time, whichever estate had them: two people must approve their end. Kept by the claims
-- themselves, so that a program of an earlier version counts too.
CREATE TABLE setpoint.once_protected (
  scope text NOT NULL,
  id text NOT NULL,
  PRIMARY KEY (scope, id)
);
INSERT INTO setpoint.once_protected (scope, id)
  SELECT DISTINCT scope, id FROM setpoint.claims WHERE terms->>'protect' = 'true';

CREATE FUNCTION setpoint.note_protection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO setpoint.once_protected (scope, id) VALUES (NEW.scope, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER notes_protection AFTER INSERT OR UPDATE OF terms ON setpoint.claims
  FOR EACH ROW WHEN (NEW.terms->>'protect' = 'true') EXECUTE FUNCTION setpoint.note_protection();
