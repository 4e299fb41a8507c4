-- `adopted` of claims that versions before it made: an adopted object keeps its own name, also when its `adopt` line is gone.
-- An intent that is open will write its own terms into the claim.
UPDATE setpoint.claims SET terms = (terms::jsonb || '{"adopted": true}')::json
WHERE EXISTS (
  SELECT FROM setpoint.intents AS adoption
  WHERE adoption.verb = 'adopt' AND NOT adoption.open
    AND adoption.estate = claims.estate AND adoption.scope = claims.scope AND adoption.id = claims.id
);
UPDATE setpoint.intents SET details = jsonb_set(details::jsonb, '{terms,adopted}', 'true')::json
WHERE open AND verb IN ('adopt', 'update') AND details::jsonb ? 'terms' AND EXISTS (
  SELECT FROM setpoint.intents AS adoption
  WHERE adoption.verb = 'adopt'
    AND adoption.estate = intents.estate AND adoption.scope = intents.scope AND adoption.id = intents.id
);
