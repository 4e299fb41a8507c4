-- New machines, and closures of rules that nobody wrote, have budgets of their own. Closures were deletes of healing until now, and
-- stay such where they were made.
ALTER TABLE setpoint.places DROP CONSTRAINT places_counts_as_check;
ALTER TABLE setpoint.places
  ADD CONSTRAINT places_counts_as_check CHECK (counts_as IN ('delete', 'replace', 'create', 'closure'));
ALTER TABLE setpoint.limit_counts
  ADD COLUMN creates integer NOT NULL DEFAULT 0 CHECK (creates >= 0),
  ADD COLUMN closures integer NOT NULL DEFAULT 0 CHECK (closures >= 0);
