-- `policies`: names of the policies that the object breaks as it stands. Which rules they are is in `body`.
ALTER TABLE setpoint.versions ADD COLUMN policies text[] NOT NULL DEFAULT '{}';
CREATE INDEX versions_of_violations ON setpoint.versions_now (scope, key, estate) WHERE policies <> '{}';
