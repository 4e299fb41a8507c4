-- Passes as they went. `at`: when it began; `epoch`: of its lease; no `ended`: it runs, or nobody wrote down how it ended.
CREATE TABLE setpoint.passes (
  id uuid PRIMARY KEY,
  estate text NOT NULL,
  scope text NOT NULL,
  targets text[] NOT NULL,
  at bigint NOT NULL,
  epoch bigint,
  about json NOT NULL,
  ended bigint,
  outcome text,
  quiet boolean NOT NULL DEFAULT false,
  ending json,
  timeline json
);
CREATE INDEX passes_newest ON setpoint.passes (at DESC, id DESC);
CREATE INDEX passes_of_scope ON setpoint.passes (estate, scope, quiet, at);
CREATE INDEX passes_running ON setpoint.passes (estate, scope) WHERE ended IS NULL;

-- The newest that has ended, of each scope: known for longer than its timeline is kept.
CREATE TABLE setpoint.last_passes (
  estate text NOT NULL,
  scope text NOT NULL,
  id uuid NOT NULL,
  targets text[] NOT NULL,
  at bigint NOT NULL,
  about json NOT NULL,
  ended bigint NOT NULL,
  outcome text NOT NULL,
  ending json NOT NULL,
  PRIMARY KEY (estate, scope)
);
