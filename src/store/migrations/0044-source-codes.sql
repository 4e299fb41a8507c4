-- A word by which programs tell apart sources in one state; NULL: the state is enough. `names-another-estate`: a broken source whose
-- worker follows that other estate now. Its row is never written again, so earlier rows get the word here.
ALTER TABLE setpoint.source_states ADD COLUMN code text CHECK (code IN ('names-another-estate'));
UPDATE setpoint.source_states SET code = 'names-another-estate'
  WHERE state = 'broken' AND why::text LIKE '"the specs name the estate % now, so %';
