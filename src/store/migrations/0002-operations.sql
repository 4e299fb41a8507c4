-- Long-running operations of the clouds, while they run. `state`: what a provider resumes them from.
CREATE TABLE setpoint.operations (
  estate text NOT NULL,
  scope text NOT NULL,
  id text NOT NULL,
  state text NOT NULL,
  kept_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (estate, scope, id)
);
